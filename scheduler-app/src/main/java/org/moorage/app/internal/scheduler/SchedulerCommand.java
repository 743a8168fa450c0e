// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.attempts.KeptAttempts;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.metrics.ApiServerMetrics;
import org.moorage.app.internal.metrics.HealthMetrics;
import org.moorage.app.internal.metrics.HttpMetrics;
import org.moorage.app.internal.metrics.MetricsText;
import org.moorage.app.internal.metrics.ProcessMetrics;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.app.internal.options.ConfigOptions;
import org.moorage.app.internal.process.DumpSignal;
import org.moorage.app.internal.process.HeapWatch;
import org.moorage.app.internal.process.HostProcess;
import org.moorage.app.internal.process.KubeconfigFile;
import org.moorage.app.internal.process.OutputFile;
import org.moorage.app.internal.process.ProcessThreads;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.serving.HealthCheck;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.config.ClientConnection;
import org.moorage.config.ConfigPrinter;
import org.moorage.config.LoadedConfig;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.kubernetes.WatchStatus;
import org.moorage.kubernetes.election.Leadership;
import org.moorage.kubernetes.scheduler.KubernetesScheduler;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.SchedulerHealth;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The command that runs as the scheduler of a cluster until the process is terminated. */
public final class SchedulerCommand {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerCommand.class);
    private static final int FAILURE = 1;
    /**
     * How many rejected early attempts per second an API server on two processors can handle in addition to the
     * bindings; docs/about/performance.md has the figures.
     */
    private static final int REJECTED_EARLY_POPS = 50;

    private static final Duration LONGEST_POLICY_READ = Duration.ofSeconds(10);

    /** Settings that mean something to kube-scheduler, and nothing here. */
    private static final List<String> WITHOUT_EFFECT = List.of(
            "clientConnection.acceptContentTypes",
            "clientConnection.contentType",
            "enableProfiling",
            "enableContentionProfiling");

    private final ConfigOptions config;
    private final SchedulerOptions options;
    private final Map<String, String> flags;
    private final List<String> unusedFlags;
    private final List<String> flagsWithoutFile;
    private final List<String> pluginNotes = new ArrayList<>();
    private final InstantSource monotonicClock = MonotonicClock.system();
    private final PrometheusRegistry measured = new PrometheusRegistry();
    private final PrometheusMetrics metrics = new PrometheusMetrics(measured, monotonicClock);
    private final ProcessThreads threads = new ProcessThreads(metrics);
    private final String hostName = ClusterSettings.ownHostName();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicBoolean synced = new AtomicBoolean();
    private final AtomicReference<@Nullable RuntimeException> servingFailure = new AtomicReference<>();

    /**
     * The command.
     *
     * @param config what the scheduler is made of
     * @param options the other flags
     * @param flags all flags and their values, to be shown
     * @param unusedFlags those that were given and have no effect
     * @param flagsWithoutFile those that were given and have an effect only if there is no configuration's file
     */
    public SchedulerCommand(
            ConfigOptions config,
            SchedulerOptions options,
            Map<String, String> flags,
            List<String> unusedFlags,
            List<String> flagsWithoutFile) {
        this.config = config;
        this.options = options;
        this.flags = flags;
        this.unusedFlags = unusedFlags;
        this.flagsWithoutFile = flagsWithoutFile;
    }

    /** Runs until stopped; returns the exit code. */
    public int run(HostProcess process) {
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.REFUSED, pluginNotes::add);
        LoadedConfig loaded = config.load(
                registry, this::policy, options.configOfRemovedFlags(), options.flagValues(config.hasFile()));
        Set<String> metricsLeftOut = options.metricsLeftOut();
        Optional<KeptAttempts> attempts = options.keptAttempts() == 0
                ? Optional.empty()
                : Optional.of(new KeptAttempts(options.keptAttempts(), InstantSource.system()));
        if (options.writeConfigTo().isPresent()) {
            return write(loaded, options.writeConfigTo().get());
        }
        Logging.useForService(options.loggingFormat(), options.verbosityByModule(), threads);
        process.logPrints();
        HeapWatch.start(threads);
        RequestMetrics requestMetrics = new ApiServerMetrics(measured);
        ProcessMetrics.register(measured, Version.ofMoorage(), Version.KUBE_SCHEDULER, loaded.featureGates());
        metrics.showFor(loaded.featureGates());
        metrics.showDroppedLogLines(Logging::dropped);
        try (KubernetesScheduler own = KubernetesScheduler.builder(loaded, registry)
                .connection(connection(loaded.config().clientConnection(), Optional.empty()))
                .hostName(hostName)
                .requestMetrics(requestMetrics)
                .threads(threads)
                .settings(builder -> settings(builder, registry, attempts))
                .onSynced(this::synced)
                .onLost(() -> lost(process))
                .build()) {
            Scheduler scheduler = own.scheduler();
            own.leadership()
                    .ifPresent(leadership -> metrics.showLeadership(
                            loaded.config().leaderElection().resourceName(), leadership::isLeader));
            metrics.show(scheduler::gauges);
            metrics.showWatches(own.cluster()::watchStatuses);
            Optional<SecureServer> server = serve(loaded, own, metricsLeftOut, requestMetrics, attempts);
            process.onTermination(() -> terminate(own, server));
            logStart(loaded, scheduler);
            // While the cluster's objects are listed.
            server.ifPresent(starting -> threads.replaceable(
                            "serve", () -> begin(starting, () -> terminate(own, server)))
                    .start());
            DumpSignal.handle(scheduler, work -> threads.replaceable("dump", work));
            boolean ignored = own.run();
        } finally {
            stopped.set(true);
        }
        RuntimeException failure = servingFailure.get();
        if (failure != null) {
            throw failure;
        }
        return 0;
    }

    // Without this server no supervisor could check the health of the process, so a failure ends the process.
    private void begin(SecureServer server, BooleanSupplier terminate) {
        try {
            server.start();
        } catch (RuntimeException failure) {
            if (!stopped.get()) {
                servingFailure.set(failure);
                boolean ignored = terminate.getAsBoolean();
            }
        }
    }

    // The Policy that a configuration of version v1alpha1 names.
    private PolicyTexts.PolicyText policy(String namespace, String name, String kubeconfig) throws IOException {
        ClientConnection connection = new ClientConnection(kubeconfig, "", "", 0, 0);
        String path = "/api/v1/namespaces/" + namespace + "/configmaps/" + name;
        try (ApiRequests requests =
                new ApiRequests(connection(connection, Optional.empty()).open(), monotonicClock, RequestMetrics.NONE)) {
            ObjectNode configMap = requests.get("ConfigMap", path, LONGEST_POLICY_READ)
                    .map(ObjectTrees::of)
                    .orElseThrow(() -> new IOException("there is none"));
            JsonNode text = configMap.path("data").path("policy.cfg");
            if (!text.isTextual()) {
                throw new IOException("it has no policy.cfg");
            }
            return new PolicyTexts.PolicyText(text.textValue(), "ConfigMap " + namespace + "/" + name);
        } catch (ClusterException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static int write(LoadedConfig loaded, Path file) {
        OutputFile.writePublic("--write-config-to " + file, file, ConfigPrinter.print(loaded));
        return 0;
    }

    private SchedulerBuilder settings(
            SchedulerBuilder builder, PluginRegistry registry, Optional<KeptAttempts> attempts) {
        attempts.ifPresent(builder::listener);
        builder.listener(metrics)
                .listener(new PodLog())
                .rejectedEarlyPops(REJECTED_EARLY_POPS)
                .maxInUnschedulable(options.maxInUnschedulable());
        return options.pluginLimits().applyTo(builder, registry);
    }

    private void synced() {
        synced.set(true);
        LOG.info("The cluster's objects are known");
    }

    private void lost(HostProcess process) {
        if (!stopped.get()) {
            LOG.error("Leaderelection lost");
            process.exit(FAILURE);
        }
    }

    private Optional<SecureServer> serve(
            LoadedConfig loaded,
            KubernetesScheduler own,
            Set<String> metricsLeftOut,
            RequestMetrics requestMetrics,
            Optional<KeptAttempts> attempts) {
        if (options.serving().securePort() == 0) {
            return Optional.empty();
        }
        Scheduler scheduler = own.scheduler();
        KubernetesCluster cluster = own.cluster();
        Optional<Leadership> leadership = own.leadership();
        ClientConnection connection = loaded.config().clientConnection();
        SecureServer server = SecureServer.listen(
                options.serving(),
                hostName,
                new ApiRequests(
                        connection(connection, options.serving().authenticationKubeconfig())
                                .open(),
                        monotonicClock,
                        requestMetrics),
                new ApiRequests(
                        connection(connection, options.serving().authorizationKubeconfig())
                                .open(),
                        monotonicClock,
                        requestMetrics),
                monotonicClock,
                work -> threads.replaceable("serve", work));
        List<HealthCheck> health = new ArrayList<>();
        leadership.ifPresent(part -> health.add(new HealthCheck("leaderElection", part::check)));
        List<HealthCheck> readiness = new ArrayList<>(health);
        readiness.add(new HealthCheck(
                "shutdown", () -> stopped.get() ? Optional.of("process is shutting down") : Optional.empty()));
        boolean delayed = loaded.config().delayCacheUntilActive();
        readiness.add(new HealthCheck(
                "sched-handler-sync",
                () -> synced.get()
                                || delayed
                                        && leadership
                                                .filter(Leadership::isLeader)
                                                .isEmpty()
                        ? Optional.empty()
                        : Optional.of("waiting for handlers to sync")));
        PrometheusRegistry checked = new PrometheusRegistry();
        HealthMetrics healthMetrics = new HealthMetrics(checked);
        server.health("healthz", healthMetrics.counted("healthz", health));
        List<HealthCheck> liveness = liveness(scheduler);
        liveness.add(new HealthCheck("process-threads", threads::failure));
        server.health("livez", healthMetrics.counted("livez", liveness));
        readiness.add(new HealthCheck(
                "informer-sync",
                () -> cluster.watchStatuses().stream()
                        .filter(status -> !status.isReady())
                        .findFirst()
                        .flatMap(WatchStatus::note)));
        server.health(
                "readyz",
                healthMetrics.counted("readyz", readiness),
                () -> cluster.watchStatuses().stream()
                        .flatMap(status -> status.note().stream())
                        .toList());
        HttpMetrics.register(measured, server::overload);
        ServedPages.metrics(server, "/metrics", new MetricsText(measured, metricsLeftOut));
        ServedPages.metrics(server, "/metrics/slis", new MetricsText(checked, metricsLeftOut));
        ServedPages.addTo(server, loaded, flags, scheduler, attempts, monotonicClock);
        return Optional.of(server);
    }

    private static List<HealthCheck> liveness(Scheduler scheduler) {
        List<HealthCheck> checks = new ArrayList<>(List.of(HealthCheck.PING));
        for (SchedulerHealth.Check check : scheduler.health().checks()) {
            checks.add(new HealthCheck(
                    check.name(),
                    () -> scheduler.health().checks().stream()
                            .filter(now -> now.name().equals(check.name()))
                            .findFirst()
                            .flatMap(SchedulerHealth.Check::failure)));
        }
        return checks;
    }

    private boolean terminate(KubernetesScheduler own, Optional<SecureServer> server) {
        if (stopped.getAndSet(true)) {
            return false;
        }
        LOG.info("Requested to terminate, exiting");
        own.close();
        server.ifPresent(SecureServer::close);
        Logging.flush();
        return true;
    }

    private void logStart(LoadedConfig loaded, Scheduler scheduler) {
        LOG.atInfo()
                .addKeyValue("version", Version.ofMoorage())
                .addKeyValue("profiles", scheduler.profileNames())
                .log("Starting Kubernetes Scheduler");
        if (LOG.isDebugEnabled()) {
            LOG.atDebug().addKeyValue("config", ConfigPrinter.print(loaded)).log("Using component config");
        }
        loaded.warnings()
                .forEach(warning -> LOG.atWarn().addKeyValue("setting", warning).log("Configuration"));
        pluginNotes.forEach(note -> LOG.atWarn().addKeyValue("jars", note).log("Plugin jars"));
        warn("flags", unusedFlags, "Flags of kube-scheduler that have no effect here");
        warn("flags", ignoredBesideFile(loaded), "Flags that --config overrides");
        warn("settings", settingsWithoutEffect(loaded), "Settings of kube-scheduler that have no effect here");
    }

    private List<String> ignoredBesideFile(LoadedConfig loaded) {
        if (!config.hasFile()) {
            return List.of();
        }
        List<String> ignored = new ArrayList<>(flagsWithoutFile);
        boolean namesKubeconfig =
                !loaded.config().clientConnection().kubeconfig().isEmpty();
        if (namesKubeconfig && options.kubeconfig().isPresent()) {
            ignored.add("--kubeconfig");
        }
        return ignored;
    }

    private static void warn(String key, List<String> names, String message) {
        if (!names.isEmpty()) {
            LOG.atWarn().addKeyValue(key, names).log(message);
        }
    }

    // Explicitly configured settings only.
    private static List<String> settingsWithoutEffect(LoadedConfig loaded) {
        List<String> settings = new ArrayList<>();
        for (String path : WITHOUT_EFFECT) {
            String origin = loaded.originByPath().getOrDefault(path, "default");
            if (!origin.equals("default")) {
                settings.add(path + " (" + origin + ")");
            }
        }
        return settings;
    }

    private ApiConnection connection(ClientConnection connection, Optional<Path> ownKubeconfig) {
        return ownKubeconfig.isPresent()
                ? new ApiConnection(ownKubeconfig, Optional.empty())
                : new ApiConnection(
                        KubeconfigFile.find(options.kubeconfig(), options.master(), connection), options.master());
    }

    /** One line for each pod that was tried. */
    private static final class PodLog implements SchedulerListener {
        @Override
        public void fatalError(Throwable error) {
            // Handles the error as on any other thread of the process.
            Thread.getDefaultUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), error);
        }

        @Override
        public void decided(Decision decision) {
            // A scheduled pod is logged when it is bound, and a failure where it happened.
            if (decision.outcome() == Decision.Outcome.UNSCHEDULABLE) {
                LOG.atDebug()
                        .addKeyValue("pod", decision.pod().key())
                        .addKeyValue("err", decision.message())
                        .log("Unable to schedule pod; no fit; waiting");
            }
        }

        @Override
        public void bound(Pod pod, String nodeName, Decision decision) {
            LOG.atDebug()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", nodeName)
                    .addKeyValue("evaluatedNodes", decision.evaluatedNodes())
                    .addKeyValue("feasibleNodes", decision.feasibleNodes())
                    .log("Successfully bound pod to node");
        }
    }
}
