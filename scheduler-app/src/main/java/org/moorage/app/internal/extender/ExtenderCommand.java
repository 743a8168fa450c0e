// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.extender;

import ch.qos.logback.classic.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.options.FeatureGateOptions;
import org.moorage.app.internal.options.PluginOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.HeapWatch;
import org.moorage.app.internal.process.HostProcess;
import org.moorage.app.internal.process.KubeconfigFile;
import org.moorage.app.internal.process.Version;
import org.moorage.config.ClientConnection;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.config.ExtenderServerReader;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.extender.RequestMemory;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.objects.GoDuration;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves plugins to kube-scheduler as its extenders until the process receives a signal to stop. */
@Command(
        name = "extender",
        description = {
            "Serve plugins to kube-scheduler as HTTP extenders.",
            "",
            "Environment: HTTP_PORT as --port; LOG_LEVEL, one of TRACE, DEBUG, INFO, WARNING, ERROR and ALERT."
        },
        footer = "  moorage extender --config extender.yaml --plugin-dir plugins --agents safe,congestion",
        exitCodeList = {"0:it received a signal to stop", "1:it cannot start", "2:the command line is malformed"})
public final class ExtenderCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderCommand.class);
    private static final int PORT = 8888;
    private static final Map<String, Level> LEVELS = Map.of(
            "TRACE", Level.TRACE,
            "DEBUG", Level.DEBUG,
            "INFO", Level.INFO,
            "WARNING", Level.WARN,
            "ERROR", Level.ERROR,
            "ALERT", Level.ERROR);

    private final HostProcess process;
    private final Map<String, String> environment;
    private final Supplier<Optional<Integer>> givenVerbosity;
    private final InstantSource clock = MonotonicClock.system();
    private final ThreadFactory threads = Executors.defaultThreadFactory();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @Option(
            names = "--config",
            required = true,
            paramLabel = "FILE",
            description = "File with an ExtenderConfiguration, which lists the agents.")
    private Path file = Path.of("");

    @Option(
            names = "--agents",
            paramLabel = "NAME",
            split = ",",
            description = "Agents of the configuration to run (default: all).")
    private List<String> agents = new ArrayList<>();

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "Port of the first agent; each further agent has the next one, unless the configuration has its "
                            + "port (default: 8888).")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = "--bind-address",
            paramLabel = "IP",
            defaultValue = "127.0.0.1",
            description = "IP address to listen on; 0.0.0.0 for all (default: ${DEFAULT-VALUE}).")
    private String bindAddress = "127.0.0.1";

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            defaultValue = "4s",
            description = "Time limit for a response; set it slightly below the scheduler's httpTimeout (default: "
                    + "${DEFAULT-VALUE}).")
    private String requestTimeout = "4s";

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "Path to the kubeconfig file, for agents with a nodeCache; not needed in a pod of the cluster.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private FeatureGateOptions features = new FeatureGateOptions();

    /**
     * The command.
     *
     * @param process the process that it runs in
     * @param environment the environment's variables
     * @param givenVerbosity the verbosity that a flag sets
     */
    public ExtenderCommand(
            HostProcess process, Map<String, String> environment, Supplier<Optional<Integer>> givenVerbosity) {
        this.process = process;
        this.environment = environment;
        this.givenVerbosity = givenVerbosity;
    }

    @Override
    public Integer call() {
        List<String> notes = new ArrayList<>();
        PluginRegistry registry = plugins.registry(JarRules.WithoutVersion.REFUSED, notes::add);
        ExtenderServerConfig config = ExtenderServerReader.read(
                ConfigFile.text(file, "an ExtenderConfiguration"), file.toString(), registry, features.gates());
        RunningAgents.Settings settings = new RunningAgents.Settings(
                registry,
                features.gates(),
                bindAddress,
                firstPort(port, environment),
                Version.ofMoorage(),
                timeout(requestTimeout),
                () -> cluster(config.clientConnection()),
                new FatalErrors(),
                RequestMemory.ofHeap(),
                MonotonicClock.system(),
                work -> {
                    Thread thread = threads.newThread(work);
                    thread.setName("serve");
                    thread.setDaemon(true);
                    return thread;
                });
        Logging.useForService(Logging.Format.text, Map.of(), threads);
        process.logPrints();
        useLevel();
        notes.forEach(note -> LOG.atWarn().addKeyValue("jars", note).log("Plugin jars"));
        HeapWatch.start(threads);
        CountDownLatch end = new CountDownLatch(1);
        try (RunningAgents running = RunningAgents.listen(config, agents, settings)) {
            process.onTermination(() -> {
                if (stopped.getAndSet(true)) {
                    return false;
                }
                LOG.info("Requested to terminate, exiting");
                running.stop();
                Logging.flush();
                end.countDown();
                return true;
            });
            running.start();
            LOG.info("All agents answer");
            end.await();
        } catch (ClusterException unreachable) {
            // A signal to stop while objects are listed is no failure.
            if (!stopped.get()) {
                throw unreachable;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stopped.set(true);
        }
        return 0;
    }

    private void useLevel() {
        Optional<Integer> given = givenVerbosity.get();
        String name = environment.getOrDefault("LOG_LEVEL", "");
        Optional<Level> level = level(name);
        given.ifPresentOrElse(Logging::use, () -> Logging.use(level.orElse(Level.INFO)));
        if (!name.isEmpty() && level.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("value", name)
                    .addKeyValue("expected", "TRACE, DEBUG, INFO, WARNING, ERROR or ALERT")
                    .log("LOG_LEVEL is not a level, so it is INFO");
        }
    }

    /** The level of that name, in small or capital letters. */
    public static Optional<Level> level(String name) {
        return Optional.ofNullable(LEVELS.get(name.strip().toUpperCase(Locale.ROOT)));
    }

    /** The flag's port, the environment's, or the usual one. */
    public static int firstPort(Optional<Integer> flag, Map<String, String> environment) {
        String variable = environment.getOrDefault("HTTP_PORT", "");
        if (flag.isEmpty() && !variable.isEmpty() && !variable.strip().matches("[0-9]{1,5}")) {
            throw new CommandException("HTTP_PORT: \"" + variable + "\" (expected: a port)");
        }
        int chosen = flag.orElseGet(() -> variable.isEmpty() ? PORT : Integer.parseInt(variable.strip()));
        if (chosen < 0) {
            throw new CommandException("--port: " + chosen + " (expected: a port)");
        }
        return chosen;
    }

    private static Duration timeout(String value) {
        return GoDuration.parse(value)
                .filter(duration -> !duration.isNegative() && !duration.isZero())
                .orElseThrow(() ->
                        new CommandException("--request-timeout: \"" + value + "\" (expected: a duration such as 4s)"));
    }

    private Cluster cluster(ClientConnection connection) {
        ApiConnection api =
                new ApiConnection(KubeconfigFile.find(kubeconfig, Optional.empty(), connection), Optional.empty());
        return new KubernetesCluster(
                api.open(),
                ClusterSettings.on(ClusterSettings.ownHostName()).withRate(connection.qps(), connection.burst()),
                clock,
                new Random(),
                threads);
    }

    private static final class FatalErrors implements SchedulerListener {
        @Override
        public void fatalError(Throwable error) {
            // Handles the error as on any other thread of the process.
            Thread.getDefaultUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), error);
        }
    }
}
