// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.moorage.api.plugin.ClusterException;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.KubeconfigFile;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.WhyReport;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.objects.GoDuration;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.internal.ObjectTrees;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Asks a scheduler that runs why a pod or a group of pods is where it is, or waits. */
@Command(
        name = "why",
        description = {
            "Asks a scheduler that runs what a pod waits for, and what came of the last attempts at it.",
            "",
            "The scheduler keeps attempts if it runs with --keep-attempts N; what a pod waits for it tells also without.",
            "Whoever asks may GET the path /debug/attempts, see --kubeconfig.",
            "For a cluster in files there is explain.",
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            " 0:the pod has a node, or the last attempt at the group succeeded",
            " 1:it waits",
            " 2:the scheduler cannot be asked, or does not know it",
        },
        footer = {
            "",
            "Example:",
            "  kubectl -n kube-system port-forward deploy/moorage 10259 &",
            "  moorage why default/web-1 --kubeconfig ~/.kube/config --insecure-skip-tls-verify",
        })
final class WhyCommand implements Callable<Integer> {
    private static final int WAITS = 1;
    private static final int UNANSWERED = 2;
    private static final int LONGEST_ANSWER = 4 << 20;

    private final Terminal terminal;

    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "https://127.0.0.1:10259",
            description = "The scheduler's address (default: ${DEFAULT-VALUE}).")
    private String server = "";

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Whose token or certificate to show; else KUBECONFIG or ~/.kube/config.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(names = "--token-file", paramLabel = "FILE", description = "A token, in place of the kubeconfig's user.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--client-certificate",
            paramLabel = "FILE",
            description = "A certificate, in place of the kubeconfig's user.")
    private Optional<Path> clientCertificate = Optional.empty();

    @Option(names = "--client-key", paramLabel = "FILE", description = "The key of that certificate.")
    private Optional<Path> clientKey = Optional.empty();

    @Option(
            names = "--certificate-authority",
            paramLabel = "FILE",
            description = "Who signs the scheduler's certificate; else the kubeconfig's authority.")
    private Optional<Path> certificateAuthority = Optional.empty();

    @Option(
            names = "--insecure-skip-tls-verify",
            description =
                    "Do not look at the scheduler's certificate, which it signs itself if it is given none. Whoever"
                            + " answers at that address gets the token.")
    private boolean skipsTlsVerify;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "How long the answer may take (default: ${DEFAULT-VALUE}).")
    private String timeout = "";

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Parameters(
            index = "0",
            paramLabel = "POD",
            description = "The pod: its namespace, a slash and its name; or its name, in default. Or a group of pods:"
                    + " podgroup/NAMESPACE/NAME or compositepodgroup/NAMESPACE/NAME.")
    private String name = "";

    WhyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        WhyReport report;
        try {
            report = new WhyReport(ask());
        } catch (ClusterException | CommandException | ObjectDecodeException unanswered) {
            terminal.err().println("error: " + unanswered.getMessage());
            terminal.err().flush();
            return UNANSWERED;
        }
        output.print(report, terminal);
        return report.isScheduled() ? 0 : WAITS;
    }

    private ObjectNode ask() {
        Duration atMost = GoDuration.parse(timeout)
                .filter(duration -> !duration.isNegative() && !duration.isZero())
                .orElseThrow(() ->
                        new CommandException("--timeout: \"" + timeout + "\" (expected: a duration such as 10s)"));
        if (clientCertificate.isPresent() != clientKey.isPresent()) {
            throw new CommandException("--client-certificate and --client-key: one of them (expected: both or none)");
        }
        ApiConnection connection =
                new ApiConnection(KubeconfigFile.find(kubeconfig, Optional.empty()), Optional.empty());
        ApiConnection.OtherServer other = new ApiConnection.OtherServer(
                server.replaceAll("/+$", ""),
                certificateAuthority,
                skipsTlsVerify,
                tokenFile,
                clientCertificate,
                clientKey);
        try (ApiRequests requests =
                new ApiRequests(connection.open(other), MonotonicClock.system(), RequestMetrics.NONE)) {
            return ObjectTrees.of(requests.page("why " + name, path(), atMost, LONGEST_ANSWER));
        }
    }

    private String path() {
        boolean isGroup = name.matches("(composite)?podgroup/[^/]+/[^/]+");
        return AttemptsPage.PATH
                + (isGroup ? "?group=" : "?now=true&pod=")
                + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }
}
