// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.moorage.api.StateKey;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.prometheus.HttpDocument;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.PrometheusSettings;
import org.moorage.sigs.LoadSource.Loads;

/**
 * The measured load of nodes, read in the background every 30 seconds. After a failure the former figures stay. Plugins
 * with the same source share one reader.
 */
final class NodeLoads {
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final String DEFAULT_PROMETHEUS = "http://prometheus-k8s:9090";
    private static final StateKey<Map<Key, NodeLoads>> SHARED = StateKey.of("measured load/readers");

    private final LoadSource source;
    private final Handle handle;
    private final List<NodeChanges> dependents = new CopyOnWriteArrayList<>();
    private final CountDownLatch firstRead = new CountDownLatch(1);
    private volatile boolean waitingIsOver;
    private volatile Loads latest = Loads.NONE;

    /** The key of a source. */
    private record Key(String watcherAddress, MetricProvider provider) {}

    private NodeLoads(LoadSource source, Handle handle) {
        this.source = source;
        this.handle = handle;
        handle.tasks().background().execute(this::refresh);
    }

    /**
     * Returns the loads of a source, and begins to read them. Call this while a plugin is created.
     *
     * @param changes the changes of the plugin's data, to which each reading is added
     */
    static NodeLoads of(String watcherAddress, MetricProvider provider, Handle handle, NodeChanges changes) {
        NodeLoads loads = handle.shared(SHARED, ConcurrentHashMap::new)
                .computeIfAbsent(new Key(watcherAddress, provider), key -> new NodeLoads(source(key, handle), handle));
        loads.dependents.add(changes);
        return loads;
    }

    private static LoadSource source(Key key, Handle handle) {
        if (!key.watcherAddress().isEmpty()) {
            PrometheusSettings settings =
                    PrometheusSettings.of(key.watcherAddress()).withTimeout(TIMEOUT);
            return new LoadSource.LoadWatcher(HttpDocument.of("load watcher", settings, LoadSource.LoadWatcher.PATH));
        }
        MetricProvider provider = key.provider();
        return switch (provider.given()) {
            case MetricProvider.METRICS_SERVER ->
                new LoadSource.MetricsServer(handle, handle.cluster().lister(ObjectKind.NODE));
            case MetricProvider.PROMETHEUS ->
                new LoadSource.PrometheusServer(Prometheus.connect(settings(provider)), handle);
            default ->
                () -> {
                    throw new IllegalStateException("metricProvider.type: \"" + provider.given()
                            + "\" (expected: KubernetesMetricsServer, Prometheus, or the watcherAddress of a load"
                            + " watcher that reads it)");
                };
        };
    }

    private static PrometheusSettings settings(MetricProvider provider) {
        PrometheusSettings settings = PrometheusSettings.of(
                        provider.address().isEmpty() ? DEFAULT_PROMETHEUS : provider.address())
                .withTimeout(TIMEOUT);
        if (!provider.token().isEmpty()) {
            settings = settings.withBearerToken(provider.token());
        }
        return provider.insecureSkipVerify().orElse(false) ? settings.acceptingAnyCertificate() : settings;
    }

    // The next refresh is scheduled even after an error, which the scheduler logs.
    private void refresh() {
        try {
            latest = source.read();
            dependents.forEach(NodeChanges::addAll);
            handle.logger()
                    .debug("Measured load is read", "nodes", latest.byNode().size());
        } catch (RuntimeException failed) {
            handle.logger().warn("Measured load cannot be read", "reason", String.valueOf(failed.getMessage()));
        } finally {
            firstRead.countDown();
            handle.tasks().backgroundAfter(PERIOD, this::refresh);
        }
    }

    /** Returns the latest figures. Before the first request has ended, waits for it. */
    Loads latest() {
        if (!waitingIsOver) {
            try {
                // The request times out before this wait does, unless the machine is short of processors.
                boolean ignored = firstRead.await(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            waitingIsOver = true;
        }
        return latest;
    }

    /** Returns the end of the measured time of the latest figures, without waiting; 0 if there are none. */
    long windowEnd() {
        return latest.windowEnd();
    }
}
