// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.net.ConnectException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine.Option;

/** Options of commands that query a running scheduler, with the credentials of a kubeconfig or others. */
@OptionGroup(Heading.RUNNING_SCHEDULER)
public final class SchedulerConnection {
    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "https://127.0.0.1:10259",
            description = "Address of the scheduler (default: ${DEFAULT-VALUE}).")
    private String server = "";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with a token (default: the credentials of the kubeconfig's user).")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--client-certificate",
            paramLabel = "FILE",
            description = "Client certificate (default: the credentials of the kubeconfig's user).")
    private Optional<Path> clientCertificate = Optional.empty();

    @Option(names = "--client-key", paramLabel = "FILE", description = "Key of the client certificate.")
    private Optional<Path> clientKey = Optional.empty();

    @Option(
            names = "--certificate-authority",
            paramLabel = "FILE",
            description = "Authority that signed the scheduler's certificate (default: the kubeconfig's).")
    private Optional<Path> certificateAuthority = Optional.empty();

    @Option(
            names = "--insecure-skip-tls-verify",
            description =
                    "Skip verification of the scheduler's certificate, which is self-signed by default. Insecure: "
                            + "your token is sent to any server at that address.")
    private boolean skipsTlsVerify;

    /**
     * Requests to the scheduler. Nothing is sent yet.
     *
     * @param connection the cluster whose credentials are used
     * @throws CommandException if the options contradict each other
     */
    public ApiRequests open(ApiConnection connection) {
        if (clientCertificate.isPresent() != clientKey.isPresent()) {
            throw new CommandException("--client-certificate and --client-key: one of them (expected: both or none)");
        }
        ApiConnection.OtherServer other = new ApiConnection.OtherServer(
                server.replaceAll("/+$", ""),
                certificateAuthority,
                skipsTlsVerify,
                tokenFile,
                clientCertificate,
                clientKey);
        return new ApiRequests(connection.open(other), MonotonicClock.system(), RequestMetrics.NONE);
    }

    /** The failure of a request to the scheduler, with what to do if it cannot be reached. */
    public String message(ClusterException unanswered) {
        for (@Nullable Throwable cause = unanswered; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return "no scheduler answers at " + server
                        + ". Is it running? To reach one in the cluster: kubectl -n moorage-system port-forward"
                        + " deployment/moorage 10259";
            }
            if (cause instanceof SSLException) {
                return "the certificate of " + server
                        + " is not trusted (expected: --certificate-authority FILE, or --insecure-skip-tls-verify)";
            }
        }
        return String.valueOf(unanswered.getMessage());
    }
}
