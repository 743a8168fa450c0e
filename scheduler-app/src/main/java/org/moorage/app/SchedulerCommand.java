// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.app.command.CommandException;
import org.moorage.app.command.ConfigOptions;
import org.moorage.app.kubernetes.ApiConnection;
import org.moorage.app.kubernetes.ClusterSettings;
import org.moorage.app.kubernetes.KubernetesCluster;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerListener;
import org.moorage.runtime.config.ClientConnection;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.config.SchedulerConfig;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.plugin.PluginRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs as the scheduler of a cluster until the process is told to end. */
final class SchedulerCommand {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerCommand.class);

    private final ConfigOptions config;
    private final Optional<Path> kubeconfig;
    private final Optional<String> master;

    /**
     * The command.
     *
     * @param config what the scheduler is made of
     * @param kubeconfig how to reach the cluster, in place of what the configuration says
     * @param master the API server's address, in place of the kubeconfig's
     */
    SchedulerCommand(ConfigOptions config, Optional<Path> kubeconfig, Optional<String> master) {
        this.config = config;
        this.kubeconfig = kubeconfig;
        this.master = master;
    }

    /** Has something done when the process is told to end. */
    interface Termination {
        /**
         * Sets what to do.
         *
         * @param stop stops what runs, and says whether anything did
         */
        void then(BooleanSupplier stop);
    }

    /** Runs until stopped; returns the exit code. */
    int run(Termination termination) {
        PluginRegistry registry = config.registry();
        LoadedConfig loaded = config.load(registry);
        refuseWhatIsNotThere(loaded.config());
        ClientConnection connection = loaded.config().clientConnection();
        KubernetesCluster cluster = new KubernetesCluster(
                new ApiConnection(kubeconfigOf(connection), master).open(),
                ClusterSettings.on(hostName()).withRate(connection.qps(), connection.burst()),
                InstantSource.system(),
                new Random(),
                Executors.defaultThreadFactory());
        AtomicBoolean stopped = new AtomicBoolean();
        try (Scheduler scheduler = Scheduler.builder(loaded, registry, cluster)
                .listener(new PodLog())
                .build()) {
            termination.then(() -> terminate(scheduler, stopped));
            LOG.atInfo()
                    .addKeyValue("version", Version.ofMoorage())
                    .addKeyValue("profiles", scheduler.profileNames())
                    .log("Starting Kubernetes Scheduler");
            warn(loaded);
            scheduler.start();
            LOG.info("The cluster's objects are known; scheduling begins");
            scheduler.run();
        } catch (ClusterException unreachable) {
            // Told to end before all objects were listed, there is nothing to complain about.
            if (!stopped.get()) {
                throw unreachable;
            }
        } finally {
            stopped.set(true);
        }
        return 0;
    }

    private static boolean terminate(Scheduler scheduler, AtomicBoolean stopped) {
        if (stopped.getAndSet(true)) {
            return false;
        }
        LOG.info("Requested to terminate, exiting");
        scheduler.close();
        return true;
    }

    private static void refuseWhatIsNotThere(SchedulerConfig config) {
        if (!config.extenders().isEmpty()) {
            throw new CommandException("extenders: " + config.extenders().size()
                    + " configured (expected: none; this version does not call extenders yet)");
        }
    }

    private static void warn(LoadedConfig loaded) {
        if (!loaded.missingPlugins().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("plugins", loaded.missingPlugins())
                    .log("Plugins of kube-scheduler that this version does not have take no part in decisions");
        }
        if (!loaded.missingFeatures().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("features", loaded.missingFeatures())
                    .log("Features of kube-scheduler that this version does not have are on, and have no effect");
        }
        if (loaded.config().leaderElection().leaderElect()) {
            LOG.warn("This version does not elect a leader: run only one instance");
        }
    }

    private Optional<Path> kubeconfigOf(ClientConnection connection) {
        if (kubeconfig.isPresent()) {
            return kubeconfig;
        }
        if (!connection.kubeconfig().isEmpty()) {
            return Optional.of(Path.of(connection.kubeconfig()));
        }
        if (master.isPresent() || System.getenv("KUBERNETES_SERVICE_HOST") != null) {
            return Optional.empty();
        }
        String fromEnvironment = System.getenv("KUBECONFIG");
        if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
            return Optional.of(Path.of(fromEnvironment));
        }
        return Optional.of(Path.of(System.getProperty("user.home"), ".kube", "config"))
                .filter(Files::isRegularFile);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unknown) {
            return "localhost";
        }
    }

    /** One line for each pod that was tried. */
    private static final class PodLog implements SchedulerListener {
        @Override
        public void fatalError(Throwable error) {
            // What the process does about such an error on any other thread.
            Thread.getDefaultUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), error);
        }

        @Override
        public void decided(Decision decision) {
            // A pod with a node is told of when it is bound, and a failure is logged where it happened.
            if (decision.outcome() == Decision.Outcome.UNSCHEDULABLE) {
                LOG.atInfo()
                        .addKeyValue("pod", decision.pod().key())
                        .addKeyValue("err", decision.message())
                        .log("Unable to schedule pod; no fit; waiting");
            }
        }

        @Override
        public void bound(Pod pod, String nodeName, Decision decision) {
            LOG.atInfo()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", nodeName)
                    .addKeyValue("evaluatedNodes", decision.evaluatedNodes())
                    .addKeyValue("feasibleNodes", decision.feasibleNodes())
                    .log("Successfully bound pod to node");
        }
    }
}
