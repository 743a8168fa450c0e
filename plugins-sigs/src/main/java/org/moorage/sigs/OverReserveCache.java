// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.NodeChanges;

/**
 * The objects as they were at the last synchronization, less the requests of the pods that were assumed since, from
 * every cell: the scheduler does not know which one the kubelet chooses. A node is synchronized once its agent reports
 * the fingerprint of the pods that run there, so that no pod is missing from what the agent measured.
 */
final class OverReserveCache implements TopologyCache {
    private final Settings settings;
    private final Handle handle;
    private final TypedResources<NodeTopology> objects;
    private final NodeChanges changes;
    private final ObjectLister<Pod> pods;
    private final Predicate<String> isOwnProfile;
    private final Map<String, State> states = new ConcurrentHashMap<>();
    private final Set<String> stale = ConcurrentHashMap.newKeySet();
    private final Set<String> rejected = ConcurrentHashMap.newKeySet();
    private final Set<String> reconfigured = ConcurrentHashMap.newKeySet();
    private volatile boolean isFilled;

    /** The pods of other schedulers that make a node stale. */
    enum ForeignPods {
        ALL,
        EXCLUSIVE,
        NONE
    }

    /** The pods that a fingerprint is computed of. */
    enum FingerprintedPods {
        ALL,
        EXCLUSIVE,
        /** As the agent reports. */
        AS_REPORTED
    }

    /**
     * How the cache works.
     *
     * @param period the time between synchronizations
     * @param foreignPods which pods of other schedulers make a node stale
     * @param fingerprinted the pods that a fingerprint is computed of
     * @param onlyRunning whether only running pods count, rather than all that have started
     * @param ignoresConfiguration whether a change of the topology manager's settings alone does not synchronize
     */
    record Settings(
            Duration period,
            ForeignPods foreignPods,
            FingerprintedPods fingerprinted,
            boolean onlyRunning,
            boolean ignoresConfiguration) {}

    /** The current state of one node. */
    private final class State implements OfNode {
        private final String node;
        private final Mutable<Entry> entry = new Mutable<>(Entry.EMPTY);

        State(String node) {
            this.node = node;
        }

        boolean isKnown() {
            return entry.get().object() != null;
        }

        @Override
        public boolean isStale() {
            return stale.contains(node) && isKnown();
        }

        @Override
        public @Nullable NodeTopology topology() {
            return entry.get().left();
        }
    }

    /**
     * The entry of a node.
     *
     * @param object the topology at the last synchronization; null if there was none
     * @param assumed the requests of pods that were assumed since, by UID
     * @param left the topology without these requests
     */
    private record Entry(
            @Nullable NodeTopology object,
            Map<String, Map<String, Quantity>> assumed,
            @Nullable NodeTopology left) {
        static final Entry EMPTY = new Entry(null, Map.of(), null);

        static Entry of(NodeTopology object) {
            return new Entry(object, Map.of(), object);
        }

        private Entry withAssumed(Map<String, Map<String, Quantity>> changed) {
            return new Entry(object, changed, object == null ? null : object.without(changed.values()));
        }

        Entry with(Pod pod) {
            Map<String, Map<String, Quantity>> more = new HashMap<>(assumed);
            more.put(pod.uid(), EffectiveResources.requests(pod.spec()));
            return withAssumed(Map.copyOf(more));
        }

        Entry without(Pod pod) {
            if (!assumed.containsKey(pod.uid())) {
                return this;
            }
            Map<String, Map<String, Quantity>> fewer = new HashMap<>(assumed);
            fewer.remove(pod.uid());
            return withAssumed(Map.copyOf(fewer));
        }
    }

    /**
     * Creates a cache that synchronizes periodically.
     *
     * @param changes receives the changes of topologies
     * @param isOwnProfile whether a scheduler name is that of a profile with such a cache
     */
    OverReserveCache(
            Settings settings,
            Handle handle,
            TypedResources<NodeTopology> objects,
            NodeChanges changes,
            Predicate<String> isOwnProfile) {
        this.settings = settings;
        this.handle = handle;
        this.objects = objects;
        this.changes = changes;
        this.isOwnProfile = isOwnProfile;
        pods = handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
        handle.cluster().onChange(NodeTopology.KIND, this::objectChanged);
        handle.cluster().onChange(ObjectKind.NODE, this::nodeChanged);
        handle.tasks().backgroundAfter(settings.period(), this::resyncAndRepeat);
    }

    // The objects are read at the first use, when the lister has them.
    private void fill() {
        if (isFilled) {
            return;
        }
        synchronized (this) {
            if (!isFilled) {
                for (OtherObject object : objects.objects()) {
                    objects.of(object)
                            .ifPresent(topology -> state(object.name()).entry.set(Entry.of(topology)));
                }
                stale.removeIf(node -> !isKnown(node));
                isFilled = true;
                changes.addAll();
            }
        }
    }

    private State state(String node) {
        return states.computeIfAbsent(node, State::new);
    }

    private boolean isKnown(String node) {
        State state = states.get(node);
        return state != null && state.isKnown();
    }

    // A pod of another scheduler takes resources that no reservation accounts for. Before the cache is filled, any node
    // may have an object.
    private void podChanged(ObjectChange<Pod> change) {
        Pod pod = change.latest();
        boolean counts = switch (settings.foreignPods()) {
            case ALL -> true;
            case EXCLUSIVE -> NumaRequests.areExclusive(pod);
            case NONE -> false;
        };
        if (counts
                && pod.isBound()
                && !isOwnProfile.test(pod.spec().schedulerName())
                && (!isFilled || isKnown(pod.nodeName()))) {
            stale.add(pod.nodeName());
            changes.add(pod.nodeName());
        }
    }

    private void objectChanged(ObjectChange<OtherObject> change) {
        if (settings.ignoresConfiguration()
                || change.before().isEmpty()
                || change.after().isEmpty()) {
            return;
        }
        String node = change.latest().name();
        State state = states.get(node);
        NodeTopology stored = state == null ? null : state.entry.get().object();
        Optional<NodeTopology> current = objects.of(change.latest());
        if (stored != null && current.isPresent() && !current.get().config().equals(stored.config())) {
            reconfigured.add(node);
        }
    }

    private void nodeChanged(ObjectChange<Node> change) {
        if (change.after().isEmpty()) {
            String node = change.latest().name();
            states.remove(node);
            stale.remove(node);
            rejected.remove(node);
            reconfigured.remove(node);
            changes.add(node);
        }
    }

    @Override
    public OfNode of(String node) {
        fill();
        return state(node);
    }

    @Override
    public void rejected(String node) {
        rejected.add(node);
    }

    @Override
    public void reserved(String node, Pod pod) {
        fill();
        state(node).entry.update(before -> before.with(pod));
        rejected.remove(node);
        changes.add(node);
    }

    @Override
    public void unreserved(String node, Pod pod) {
        State state = states.get(node);
        if (state != null) {
            state.entry.update(before -> before.without(pod));
            changes.add(node);
        }
    }

    // The pod keeps its resources until the agent has seen it.
    @Override
    public void bound(String node, Pod pod) {}

    private void resyncAndRepeat() {
        try {
            resync();
        } finally {
            handle.tasks().backgroundAfter(settings.period(), this::resyncAndRepeat);
        }
    }

    private void resync() {
        fill();
        Set<String> dirty = new TreeSet<>(stale);
        dirty.addAll(rejected);
        Map<String, List<Pod>> podsByNode = dirty.isEmpty() ? Map.of() : podsOn(dirty);
        for (String node : dirty) {
            Optional<NodeTopology> current = objects.get("", node);
            if (current.isPresent() && isOf(podsByNode.getOrDefault(node, List.of()), current.get())) {
                replace(node, current.get());
            }
        }
        for (String node : Set.copyOf(reconfigured)) {
            objects.get("", node).ifPresent(current -> replace(node, current));
            reconfigured.remove(node);
        }
        dirty.removeIf(node -> !stale.contains(node) && !rejected.contains(node));
        handle.logger().debug("Topologies are synchronized", "dirty", List.copyOf(dirty));
    }

    private Map<String, List<Pod>> podsOn(Set<String> nodes) {
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : pods.all()) {
            String phase = pod.status().phase();
            boolean counts = settings.onlyRunning() ? phase.equals("Running") : !phase.equals("Pending");
            if (counts && nodes.contains(pod.nodeName())) {
                podsByNode
                        .computeIfAbsent(pod.nodeName(), any -> new ArrayList<>())
                        .add(pod);
            }
        }
        return podsByNode;
    }

    // A node without pods is never synchronized, even if that is what its agent reports.
    private boolean isOf(List<Pod> running, NodeTopology topology) {
        NodeTopology.Fingerprint reported = topology.fingerprint();
        if (running.isEmpty() || reported.text().isEmpty()) {
            return false;
        }
        boolean onlyExclusive = reported.isAttribute()
                && switch (settings.fingerprinted()) {
                    case ALL -> false;
                    case EXCLUSIVE -> true;
                    case AS_REPORTED -> reported.ofExclusive();
                };
        List<Pod> counted = new ArrayList<>(running);
        counted.removeIf(pod -> onlyExclusive && !NumaRequests.areExclusive(pod));
        return PodFingerprint.of(counted).equals(reported.text());
    }

    private void replace(String node, NodeTopology current) {
        state(node).entry.set(Entry.of(current));
        stale.remove(node);
        rejected.remove(node);
        reconfigured.remove(node);
        changes.add(node);
    }
}
