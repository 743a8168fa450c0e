// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Packs pods onto nodes up to a target utilization of cpu, and spreads them above it, by the measured load of the nodes
 * and the pods that were bound since it was measured.
 *
 * <p>Same decisions as scheduler-plugins' TargetLoadPacking. It differs where that one fails: scores beyond 100 are 100,
 * those below 0 are 0, and each profile has its own target.
 */
public final class TargetLoadPacking implements ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "TargetLoadPacking";

    private static final String CPU = "cpu";
    private static final double FULL = 100;
    // A pod that was bound this many seconds before the end of the measured time is not fully part of the figures.
    private static final long SETTLING_SECONDS = 60;
    private static final String QUANTITY_EXPECTED =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

    private final long target;
    private final double multiplier;
    private final long defaultMillis;
    private final NodeLoads loads;
    private final NodeChanges changes = new NodeChanges();
    private final Handle handle;
    private final ObjectLister<Node> nodes;
    // The pods that were bound since the figures were measured, by node. Lists are immutable.
    private final Map<String, Mutable<List<Bound>>> boundByNode = new ConcurrentHashMap<>();
    private final CachedNodeValues<LoadSource.Loads, @Nullable NodeCpu> cpus;
    // In millicores.
    private final CachedPodValue<Long> assumedUsage = new CachedPodValue<>(this::usage);

    /**
     * The arguments.
     *
     * @param watcherAddress the URL of a load watcher; absent if the provider is read directly
     * @param metricProvider where the load is read without a load watcher
     * @param targetUtilization the utilization of cpu in percent up to which pods are packed; 40 if it is not above 0
     * @param defaultRequests the assumed usage of containers without a request and limit; only cpu counts
     * @param defaultRequestsMultiplier the assumed usage of a container without a limit, as a multiple of its request
     */
    public record Args(
            Optional<String> watcherAddress,
            MetricProvider metricProvider,
            long targetUtilization,
            Map<String, IntOrString> defaultRequests,
            String defaultRequestsMultiplier)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS =
                new Args(Optional.empty(), MetricProvider.DEFAULTS, 40, Map.of(CPU, IntOrString.of("1")), "1.5");

        public Args {
            targetUtilization = targetUtilization <= 0 ? 40 : targetUtilization;
            defaultRequests = Map.copyOf(defaultRequests);
        }

        @Override
        public PluginArgs forFeatures(FeatureGates features, Problems problems) {
            return new Args(
                    watcherAddress,
                    metricProvider.completed(watcherAddress),
                    targetUtilization,
                    defaultRequests,
                    defaultRequestsMultiplier);
        }

        @Override
        public void validate(Problems problems) {
            defaultRequests.forEach((resource, amount) -> {
                try {
                    Quantity ignored = Quantity.parse(amount.text());
                } catch (IllegalArgumentException refused) {
                    problems.at("defaultRequests").at(resource).report(QUANTITY_EXPECTED);
                }
            });
            try {
                double ignored = GoMath.parse(defaultRequestsMultiplier);
            } catch (NumberFormatException refused) {
                problems.report(
                        "unable to parse DefaultRequestsMultiplier: strconv.ParseFloat: " + refused.getMessage());
            }
            MetricProvider.validate("watcherAddress", watcherAddress.orElse(""), metricProvider, problems);
        }
    }

    /**
     * A pod that was bound.
     *
     * @param uid its UID
     * @param seconds when its binding was seen, in seconds since 1970
     * @param millis its assumed usage in millicores
     */
    private record Bound(String uid, long seconds, long millis) {}

    /**
     * The measured usage of a node.
     *
     * @param capacity its capacity in millicores
     * @param used the measured usage in millicores
     * @param bound the pods that may be missing from it
     */
    private record NodeCpu(double capacity, double used, Mutable<List<Bound>> bound) {}

    private TargetLoadPacking(Args args, Handle handle) {
        this.handle = handle;
        target = args.targetUtilization();
        multiplier = GoMath.parse(args.defaultRequestsMultiplier());
        IntOrString cpu = args.defaultRequests().getOrDefault(CPU, IntOrString.of("0"));
        defaultMillis = Quantity.parse(cpu.text()).milliValue();
        loads = NodeLoads.of(args.watcherAddress().orElse(""), args.metricProvider(), handle, changes);
        cpus = new CachedNodeValues<>(this::cpuOf);
        nodes = handle.cluster().lister(ObjectKind.NODE);
        handle.cluster().onChange(ObjectKind.NODE, change -> {
            if (change.after().isEmpty()) {
                boundByNode.remove(change.latest().name());
                changes.add(change.latest().name());
            }
        });
        handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    private @Nullable NodeCpu cpuOf(NodeInfo node, LoadSource.Loads latest) {
        NodeLoad load = latest.byNode().get(node.name());
        if (load == null || load.lastCpu() == null) {
            return null;
        }
        Mutable<List<Bound>> bound = boundTo(node.name());
        bound.update(pods -> missing(pods, latest.windowEnd()));
        double capacity =
                node.node().capacity().getOrDefault(CPU, Quantity.ZERO).milliValue();
        return new NodeCpu(capacity, load.lastCpu() / FULL * capacity, bound);
    }

    private Mutable<List<Bound>> boundTo(String node) {
        return boundByNode.computeIfAbsent(node, any -> new Mutable<>(List.of()));
    }

    private void podChanged(ObjectChange<Pod> change) {
        boolean wasBound = change.before().isPresent() && change.before().get().isBound();
        Pod pod = change.latest();
        if (change.after().isEmpty()) {
            Mutable<List<Bound>> bound = boundByNode.get(pod.nodeName());
            if (bound != null
                    && bound.update(pods -> without(pod, pods)).isEmpty()
                    && nodes.get("", pod.nodeName()).isEmpty()) {
                boundByNode.remove(pod.nodeName());
            }
            changes.add(pod.nodeName());
        } else if (pod.isBound() && !wasBound) {
            Bound added = new Bound(pod.uid(), handle.clock().instant().getEpochSecond(), usage(pod));
            // Figures that are measured later include the pods before.
            long windowEnd = loads.windowEnd();
            boundTo(pod.nodeName()).update(pods -> {
                List<Bound> more = new ArrayList<>(missing(pods, windowEnd));
                more.add(added);
                return List.copyOf(more);
            });
            changes.add(pod.nodeName());
        }
    }

    private static List<Bound> without(Pod pod, List<Bound> pods) {
        List<Bound> left = new ArrayList<>(pods);
        return left.removeIf(bound -> bound.uid().equals(pod.uid())) ? List.copyOf(left) : pods;
    }

    private static List<Bound> missing(List<Bound> pods, long windowEnd) {
        List<Bound> left = new ArrayList<>(pods);
        return left.removeIf(bound -> !isMissing(bound, windowEnd)) ? List.copyOf(left) : pods;
    }

    private static boolean isMissing(Bound bound, long windowEnd) {
        return bound.seconds() > windowEnd - SETTLING_SECONDS;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(assumedUsage.of(pod));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        LoadSource.Loads latest = loads.latest();
        NodeCpu cpu = cpus.of(node, latest);
        if (cpu == null) {
            return 0;
        }
        List<Bound> bound = cpu.bound().get();
        long missing = 0;
        for (int i = 0; i < bound.size(); i++) {
            missing +=
                    isMissing(bound.get(i), latest.windowEnd()) ? bound.get(i).millis() : 0;
        }
        return score(cpu.capacity() == 0 ? 0 : FULL * (cpu.used() + assumedUsage.of(pod) + missing) / cpu.capacity());
    }

    private long score(double predicted) {
        if (predicted > target && predicted > FULL) {
            return 0;
        }
        double score = predicted > target
                ? target * (FULL - predicted) / (FULL - target)
                : (FULL - target) * predicted / target + target;
        return Math.max(0, Math.min(NodeScores.MAX, GoMath.round(score)));
    }

    // Init containers do not count: they are gone when the pod runs.
    private long usage(Pod pod) {
        long millis = pod.spec().overhead().getOrDefault(CPU, Quantity.ZERO).milliValue();
        List<Container> containers = pod.spec().containers();
        for (int i = 0; i < containers.size(); i++) {
            millis += usage(containers.get(i));
        }
        return millis;
    }

    private long usage(Container container) {
        Quantity limit = container.limits().get(CPU);
        if (limit != null) {
            return limit.milliValue();
        }
        Quantity request = container.requests().get(CPU);
        return request == null ? defaultMillis : GoMath.round(request.milliValue() * multiplier);
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of("TargetLoadPackingArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new TargetLoadPacking(args, handle);
        }
    }
}
