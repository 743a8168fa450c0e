// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.scheduler;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.ClientConnection;
import org.moorage.config.LeaderElection;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.kubernetes.election.Leadership;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;

/**
 * The scheduler of an API server's cluster. With leader election, which is the default, it schedules while it holds the
 * Lease, and writes nothing otherwise.
 *
 * <pre>{@code
 * try (KubernetesScheduler scheduler = KubernetesScheduler.builder(config, registry).build()) {
 *     scheduler.run();
 * }
 * }</pre>
 */
public final class KubernetesScheduler implements AutoCloseable {
    private final KubernetesCluster cluster;
    private final Optional<Leadership> leadership;
    private final Scheduler scheduler;
    private final boolean delaysCache;
    private final Runnable onSynced;
    private final Runnable onLost;
    private final Object closeLock = new Object();
    private volatile boolean closing;
    private volatile boolean lost;

    @GuardedBy("closeLock")
    private boolean closed;

    private KubernetesScheduler(Builder builder) {
        ApiConnection connection = builder.connection();
        ApiClient client = connection.open();
        LeaderElection election = builder.config.config().leaderElection();
        leadership = election.leaderElect()
                ? Optional.of(new Leadership(
                        new ApiRequests(connection.open(), MonotonicClock.system(), builder.requestMetrics),
                        election,
                        builder.hostName,
                        builder.config.config().profiles().get(0).schedulerName(),
                        InstantSource.system(),
                        new Random(),
                        builder.threads))
                : Optional.empty();
        ClientConnection rate = builder.config.config().clientConnection();
        cluster = new KubernetesCluster(
                leadership.map(own -> own.guard(client)).orElse(client),
                ClusterSettings.on(builder.hostName)
                        .withRate(rate.qps(), rate.burst())
                        .withMetrics(builder.requestMetrics),
                InstantSource.system(),
                new Random(),
                builder.threads);
        delaysCache = builder.config.config().delayCacheUntilActive();
        onSynced = builder.onSynced;
        onLost = builder.onLost == null ? this::stopAfterLoss : builder.onLost;
        if (!delaysCache) {
            // Connects while the plugins are created.
            cluster.connect();
        }
        boolean isBuilt = false;
        try {
            scheduler = builder.settings
                    .apply(Scheduler.builder(builder.config, builder.registry, cluster)
                            .randomTies(true))
                    .build();
            isBuilt = true;
        } finally {
            if (!isBuilt) {
                cluster.close();
                leadership.ifPresent(Leadership::close);
            }
        }
    }

    /** Returns a builder of a scheduler with the given configuration and plugins. */
    public static Builder builder(LoadedConfig config, PluginRegistry registry) {
        return new Builder(config, registry);
    }

    /**
     * Waits until this process leads, then schedules pods until {@link #close} is called, the Lease is lost or the
     * thread is interrupted. Call once.
     *
     * @return whether it ended because the Lease was lost; another process then schedules, and this one has to exit
     * @throws ClusterException if the thread was interrupted before all objects were listed
     */
    public boolean run() {
        try {
            if (!delaysCache) {
                start();
            }
            if (leads()) {
                if (delaysCache) {
                    start();
                }
                scheduler.run();
            }
        } catch (ClusterException unreachable) {
            // Closing before all objects were listed is not an error.
            if (!closing && !lost) {
                throw unreachable;
            }
        }
        return lost;
    }

    private void start() {
        scheduler.start();
        onSynced.run();
    }

    private boolean leads() {
        leadership.ifPresent(own -> own.start(() -> {
            if (!closing) {
                lost = true;
                onLost.run();
            }
        }));
        return leadership.map(Leadership::awaitLeading).orElse(true);
    }

    private void stopAfterLoss() {
        scheduler.stop();
    }

    /** Returns the scheduler, for queries while it runs. */
    public Scheduler scheduler() {
        return scheduler;
    }

    /** Returns the cluster that it schedules for. */
    public KubernetesCluster cluster() {
        return cluster;
    }

    /** Returns this process's part in leader election; empty if leader election is off. */
    public Optional<Leadership> leadership() {
        return leadership;
    }

    /**
     * Stops within ten seconds, and then releases the Lease, so that writes in progress are still those of the leader.
     * May be called at any time from any thread; a further call waits until the first one is done.
     */
    @Override
    public void close() {
        closing = true;
        synchronized (closeLock) {
            if (!closed) {
                closed = true;
                scheduler.stop();
                leadership.ifPresent(Leadership::close);
                scheduler.close();
            }
        }
    }

    /** A builder of a {@link KubernetesScheduler}. For use by one thread. */
    public static final class Builder {
        private final LoadedConfig config;
        private final PluginRegistry registry;
        private @Nullable ApiConnection connection;
        private String hostName = "";
        private RequestMetrics requestMetrics = RequestMetrics.NONE;
        private ThreadFactory threads = Executors.defaultThreadFactory();
        private UnaryOperator<SchedulerBuilder> settings = UnaryOperator.identity();
        private Runnable onSynced = () -> {};
        private @Nullable Runnable onLost;

        private Builder(LoadedConfig config, PluginRegistry registry) {
            this.config = Objects.requireNonNull(config, "config");
            this.registry = Objects.requireNonNull(registry, "registry");
        }

        /**
         * Sets the connection to the API server. The default is the kubeconfig that the configuration names, or the
         * cluster that the program runs in if it names none.
         */
        public Builder connection(ApiConnection value) {
            connection = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Sets the machine's name, for events and the Lease; the default is the host name. */
        public Builder hostName(String value) {
            hostName = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Sets the metrics of requests to the API server. */
        public Builder requestMetrics(RequestMetrics value) {
            requestMetrics = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Sets the factory of the threads that watch, send events and compete for the Lease. */
        public Builder threads(ThreadFactory value) {
            threads = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Sets further settings of the scheduler, such as its listeners. */
        public Builder settings(UnaryOperator<SchedulerBuilder> value) {
            settings = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Sets a callback that runs when the cluster's objects are known. */
        public Builder onSynced(Runnable value) {
            onSynced = Objects.requireNonNull(value, "value");
            return this;
        }

        /** Sets a callback that runs when the Lease is lost, instead of stopping the scheduler. */
        public Builder onLost(Runnable value) {
            onLost = Objects.requireNonNull(value, "value");
            return this;
        }

        /**
         * Creates the scheduler; schedules nothing yet.
         *
         * @throws org.moorage.config.ConfigException if the profiles cannot be built from the plugins
         * @throws ClusterException if the kubeconfig cannot be used, or there is none and the program does not run in a
         *     cluster
         */
        public KubernetesScheduler build() {
            if (hostName.isEmpty()) {
                hostName = ClusterSettings.ownHostName();
            }
            return new KubernetesScheduler(this);
        }

        private ApiConnection connection() {
            if (connection != null) {
                return connection;
            }
            String kubeconfig = config.config().clientConnection().kubeconfig();
            return new ApiConnection(
                    kubeconfig.isEmpty() ? Optional.empty() : Optional.of(Path.of(kubeconfig)), Optional.empty());
        }
    }
}
