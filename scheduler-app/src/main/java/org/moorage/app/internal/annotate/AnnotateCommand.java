// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.ClusterOptions;
import org.moorage.app.internal.report.Terminal;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.PrometheusException;
import org.moorage.prometheus.PrometheusSettings;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes into annotations of nodes how they are used. Options that are not given have the originals' environment variables. */
@Command(
        name = "annotate",
        description = "Annotate nodes with their measured or requested utilization.",
        footer = {"  moorage annotate usage --prometheus http://prometheus:9090", "  moorage annotate allocation"})
public final class AnnotateCommand {
    private final Terminal terminal;
    private final Map<String, String> environment;
    // Never counted down: a signal ends the process instead.
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Creates the command; it prints to that terminal. */
    public AnnotateCommand(Terminal terminal) {
        this(terminal, System.getenv());
    }

    public AnnotateCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = Map.copyOf(environment);
    }

    /** Options for the cluster connection and for how often to annotate. */
    static final class ClusterOptions {
        @Option(
                names = "--kubeconfig",
                paramLabel = "FILE",
                description =
                        "Path to the kubeconfig file. Without it, CLUSTER_CONF=out-of-cluster selects KUBECONFIG, "
                                + "~/.kube/config or ./kubectl.conf; otherwise the cluster of this pod is used.")
        private Optional<Path> kubeconfig = Optional.empty();

        @Option(names = "--master", paramLabel = "URL", description = "Address of the API server.")
        private Optional<String> master = Optional.empty();

        @Option(
                names = "--frequency",
                paramLabel = "SECONDS",
                description = "Seconds between two rounds (default: $ANNOTATE_FREQ, then 60).")
        private Optional<Integer> frequency = Optional.empty();

        @Option(names = "--once", description = "Annotate once, and exit with 1 if a node could not be annotated.")
        private boolean once;
    }

    @Command(
            name = "usage",
            description = {
                "Annotate nodes with the utilization that Prometheus measured.",
                "",
                "The annotations are mean-free-cpu, std-free-cpu, mean-free-memory and so on."
            },
            exitCodeList = {"0:all nodes are annotated", "1:a node is not"})
    public int usage(
            @Mixin ClusterOptions options,
            @Option(
                            names = "--prometheus",
                            paramLabel = "URL",
                            description =
                                    "Address of Prometheus (default: http://$PROM_IP:$PROM_PORT, then http://127.0.0.1:9090).")
                    Optional<String> prometheus,
            @Option(
                            names = "--prometheus-bearer-token-file",
                            paramLabel = "FILE",
                            description = "File with a bearer token for Prometheus.")
                    Optional<Path> bearerTokenFile,
            @Option(
                            names = "--prometheus-ca-file",
                            paramLabel = "FILE",
                            description = "Certificate authorities to trust for Prometheus, and no others.")
                    Optional<Path> caFile,
            @Option(
                            names = "--node-exporter-port",
                            paramLabel = "PORT",
                            description = "Port of the node exporter (default: $NODE_EXP_PORT, then 9100).")
                    Optional<Integer> exporterPort,
            @Option(names = "--forecast", description = "Forecast the free resources (default: $USE_FORECAST).")
                    boolean forecast,
            @Option(
                            names = "--only-requested",
                            description = "Count measured use only up to the requests of pods (default: $USE_REQ).")
                    boolean onlyRequested,
            @Option(
                            names = "--original-queries",
                            description = "Ask for CPU as kube-safe-scheduler did, with the deviation of a counter.")
                    boolean originalQueries) {
        UsageAnnotator.Settings settings = new UsageAnnotator.Settings(
                exporterPort.orElseGet(() -> number("NODE_EXP_PORT", 9100)),
                forecast || isTrue("USE_FORECAST"),
                onlyRequested || isTrue("USE_REQ"),
                originalQueries);
        String address = prometheus.orElseGet(() -> "http://" + environment.getOrDefault("PROM_IP", "127.0.0.1") + ":"
                + environment.getOrDefault("PROM_PORT", "9090"));
        Prometheus source = connect(address, bearerTokenFile, caFile);
        return run(options, cluster -> new UsageAnnotator(cluster, source, settings, terminal.clock()));
    }

    private static Prometheus connect(String address, Optional<Path> bearerTokenFile, Optional<Path> caFile) {
        try {
            PrometheusSettings settings = PrometheusSettings.of(address).withTimeout(Duration.ofSeconds(30));
            if (bearerTokenFile.isPresent()) {
                settings = settings.withBearerTokenFile(bearerTokenFile.get());
            }
            return Prometheus.connect(caFile.isPresent() ? settings.withCaFile(caFile.get()) : settings);
        } catch (IllegalArgumentException | PrometheusException unusable) {
            throw new CommandException("--prometheus: " + unusable.getMessage(), unusable);
        }
    }

    @Command(
            name = "allocation",
            description = {
                "Annotate nodes with what their pods request.",
                "",
                "The annotations are requested-cpu, free-cpu and so on."
            },
            exitCodeList = {"0:all nodes are annotated", "1:a node is not"})
    public int allocation(
            @Mixin ClusterOptions options,
            @Option(
                            names = "--running-only",
                            description = "Count containers of running pods only, as kube-safe-scheduler did.")
                    boolean runningOnly) {
        return run(options, cluster -> new AllocationAnnotator(cluster, runningOnly));
    }

    private interface Making {
        NodeAnnotator of(ClusterNodes cluster);
    }

    private int run(ClusterOptions options, Making annotator) {
        int seconds = options.frequency.orElseGet(() -> number("ANNOTATE_FREQ", 60));
        if (seconds <= 0) {
            throw new CommandException("--frequency: " + seconds + " (expected: > 0)");
        }
        ApiConnection connection = new ApiConnection(kubeconfig(options), options.master);
        try (ApiRequests requests = new ApiRequests(connection.open(), MonotonicClock.system(), RequestMetrics.NONE)) {
            NodeAnnotator made = annotator.of(new ClusterNodes(requests));
            if (options.once) {
                return made.annotate(lines()) == 0 ? 0 : 1;
            }
            do {
                annotate(made);
            } while (!stopped.await(seconds, TimeUnit.SECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    // Logs failures and continues: an unreachable server may answer the next time, and an unexpected exception is no
    // reason to exit.
    private void annotate(NodeAnnotator annotator) {
        try {
            int ignored = annotator.annotate(lines());
        } catch (ClusterException failed) {
            lines().failed(String.valueOf(failed.getMessage()));
        } catch (RuntimeException unexpected) {
            lines().failed(unexpected.toString());
        }
    }

    private NodeAnnotator.Lines lines() {
        return new NodeAnnotator.Lines() {
            @Override
            public void done(String line) {
                terminal.out().println(line);
                terminal.out().flush();
            }

            @Override
            public void failed(String line) {
                terminal.err().println("warning: " + line);
                terminal.err().flush();
            }
        };
    }

    private Optional<Path> kubeconfig(ClusterOptions options) {
        if (options.kubeconfig.isPresent()
                || options.master.isPresent()
                || !"out-of-cluster".equals(environment.get("CLUSTER_CONF"))) {
            return options.kubeconfig;
        }
        String named = environment.get("KUBECONFIG");
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        Path usual = Path.of(environment.getOrDefault("HOME", ""), ".kube", "config");
        return Optional.of(Files.isReadable(usual) ? usual : Path.of("kubectl.conf"));
    }

    private boolean isTrue(String variable) {
        return environment.getOrDefault(variable, "").equalsIgnoreCase("true");
    }

    private int number(String variable, int fallback) {
        String text = environment.get(variable);
        if (text == null) {
            return fallback;
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notANumber) {
            throw new CommandException(variable + ": \"" + text + "\" (expected: a whole number)", notANumber);
        }
    }
}
