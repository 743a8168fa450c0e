// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.Sample;
import org.moorage.safe.FreeResources.Free;
import org.moorage.safe.PrometheusArgs.Staleness;

/**
 * Queries Prometheus in the background for all figures of all nodes at the same time, and caches the result. Only the
 * first scheduling cycle waits for a result, and at most for the time limit.
 */
final class PrometheusStatistics implements NodeStatistics {
    private final PrometheusArgs args;
    private final Prometheus prometheus;
    private final Handle handle;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch firstAsked = new CountDownLatch(1);
    // Pods that were rejected by the current figures; retried after the next refresh.
    private final Map<String, Pod> rejected = new ConcurrentHashMap<>();
    private volatile boolean waitingIsOver;
    private volatile @Nullable Measured latest;

    /** The free resources by node name, and the time of the query. */
    private record Measured(Map<String, FreeResources> byNode, Instant time) {}

    /**
     * Creates statistics that are refreshed from the first use on.
     *
     * @param prometheus the client for the queries
     * @param handle provides background threads and the clock
     */
    PrometheusStatistics(PrometheusArgs args, Prometheus prometheus, Handle handle) {
        this.args = args;
        this.prometheus = prometheus;
        this.handle = handle;
    }

    @Override
    public FreeResources free(Node node) {
        Measured known = latest;
        if (known == null) {
            known = first();
        }
        if (known == null || args.whenStale() == Staleness.MISSING && isStale(known)) {
            return FreeResources.UNKNOWN;
        }
        return known.byNode().getOrDefault(node.name(), FreeResources.UNKNOWN);
    }

    private boolean isStale(Measured known) {
        return known.time().plus(args.maxAge()).isBefore(handle.clock().instant());
    }

    private @Nullable Measured first() {
        if (!started.getAndSet(true)) {
            handle.tasks().background().execute(this::refresh);
        }
        if (!waitingIsOver) {
            try {
                boolean ignored = firstAsked.await(args.timeout().toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            waitingIsOver = true;
        }
        return latest;
    }

    // The next refresh is scheduled even after an exception, which the scheduler logs.
    private void refresh() {
        try {
            latest = ask();
            List<Pod> retried = new ArrayList<>(rejected.values());
            rejected.clear();
            handle.queue().activateAfterBackoff(retried);
        } finally {
            firstAsked.countDown();
            handle.tasks().backgroundAfter(args.refresh(), this::refresh);
        }
    }

    // If a node has several samples of a figure, the last one counts.
    private Measured ask() {
        Instant now = handle.clock().instant();
        Map<String, Map<String, Double>> figuresByNode = new HashMap<>();
        for (Sample sample : prometheus.query(args.promql())) {
            String node = sample.labels().get(args.nodeLabel());
            String figure = sample.labels().get(PrometheusArgs.FIGURE);
            if (node != null && figure != null) {
                figuresByNode.computeIfAbsent(node, any -> new HashMap<>()).put(figure, sample.value());
            }
        }
        Map<String, FreeResources> byNode = new HashMap<>();
        figuresByNode.forEach((node, figures) -> byNode.put(
                node,
                new FreeResources(
                        free(figures.get("cpuMean"), figures.get("cpuDeviation")),
                        free(figures.get("memoryMean"), figures.get("memoryDeviation")))));
        return new Measured(Map.copyOf(byNode), now);
    }

    private static @Nullable Free free(@Nullable Double mean, @Nullable Double deviation) {
        if (mean == null || !Double.isFinite(mean)) {
            return null;
        }
        return new Free(mean, deviation == null || !Double.isFinite(deviation) ? 0 : deviation, Double.NaN);
    }

    /** Retries a pod after the next refresh, since new figures arrive without a cluster event. */
    void activateWhenRefreshed(Pod pod) {
        rejected.putIfAbsent(pod.uid(), pod);
    }
}
