// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.ConnectException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.ClusterException;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.objects.GoDuration;
import org.moorage.objects.internal.ObjectTrees;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine.Option;

/** The options of {@code explain} that ask a running scheduler for the state of a pod, or of a group, and for its last attempts. */
@OptionGroup(Heading.RUNNING_SCHEDULER)
public final class LiveExplanation {
    private static final int LONGEST_ANSWER = 4 << 20;

    @Option(
            names = "--live",
            description = "Ask a running Moorage scheduler instead of simulating. It keeps the last attempts if it runs"
                    + " with --keep-attempts=N. The user needs to be allowed to GET /debug/attempts.")
    private boolean isAsked;

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
            description = "Skip verification of the scheduler's certificate, which it signs itself by default. The"
                    + " server at that address then gets the token, whoever it is.")
    private boolean skipsTlsVerify;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Limit for the answer (default: ${DEFAULT-VALUE}).")
    private String timeout = "";

    /** Whether a running scheduler is asked. */
    public boolean isAsked() {
        return isAsked;
    }

    /**
     * Asks the scheduler.
     *
     * @param connection the cluster whose credentials are used
     * @param name a pod as {@code NAMESPACE/NAME}, or a group as {@code podgroup/NAMESPACE/NAME}
     * @throws CommandException if the scheduler does not answer
     * @throws org.moorage.objects.ObjectDecodeException if the answer is malformed
     */
    public LiveReport ask(ApiConnection connection, String name) {
        Duration atMost = GoDuration.parse(timeout)
                .filter(duration -> !duration.isNegative() && !duration.isZero())
                .orElseThrow(() ->
                        new CommandException("--timeout: \"" + timeout + "\" (expected: a duration such as 10s)"));
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
        try (ApiRequests requests =
                new ApiRequests(connection.open(other), MonotonicClock.system(), RequestMetrics.NONE)) {
            ObjectNode answer = ObjectTrees.of(requests.page("explain " + name, path(name), atMost, LONGEST_ANSWER));
            return new LiveReport(answer);
        } catch (ClusterException unanswered) {
            throw new CommandException(message(unanswered), unanswered);
        }
    }

    private String message(ClusterException unanswered) {
        for (@Nullable Throwable cause = unanswered; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return "no scheduler answers at " + server
                        + ". Is it running? To reach one in the cluster: kubectl -n kube-system port-forward"
                        + " deploy/moorage 10259";
            }
            if (cause instanceof SSLException) {
                return "the certificate of " + server
                        + " is not trusted (expected: --certificate-authority FILE, or --insecure-skip-tls-verify)";
            }
        }
        return String.valueOf(unanswered.getMessage());
    }

    private static String path(String name) {
        boolean isGroup = name.matches("(composite)?podgroup/[^/]+/[^/]+");
        return AttemptsPage.PATH
                + (isGroup ? "?group=" : "?now=true&pod=")
                + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }
}
