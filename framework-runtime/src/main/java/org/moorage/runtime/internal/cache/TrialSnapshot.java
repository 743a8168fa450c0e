// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;

/**
 * The snapshot of a cycle, on which changes can be tried and taken back, the last one first. It is the cache's as long as nothing is
 * tried.
 *
 * <p>A node with other pods is another node of another generation, and the one before it is the same as ever once the change is taken
 * back. So whatever is kept by generation, such as answers and counts of pods, holds for exactly the state that it was made of.
 *
 * <p>A member of a pod group that is thought of as being on a node is assumed in its group, or assigned if the cluster shows it so; one that
 * is thought of as being gone has left it. A pod that its group does not know does not become a member.
 *
 * <p>For one thread at a time; several threads may each have a {@link #branch}.
 */
public final class TrialSnapshot implements Snapshot {
    private static final Predicate<NodeInfo> WITH_AFFINITY =
            node -> !node.podsWithAffinity().isEmpty();
    private static final Predicate<NodeInfo> WITH_REQUIRED_ANTI_AFFINITY =
            node -> !node.podsWithRequiredAntiAffinity().isEmpty();

    // Shared with the branches. Below zero, which no cache's generation is, and each of them for one state of one node.
    private final AtomicLong lastGeneration;
    private final Deque<Runnable> undo = new ArrayDeque<>();
    // The pods that are thought of as being on a node.
    private final Set<String> assumed = new HashSet<>();

    private ClusterSnapshot base;
    private ChangedNodes changed;
    private PodGroups podGroups;

    // As the base's but for the nodes that are changed; made once they are asked for.
    private @Nullable List<NodeInfo> nodes;
    private long @Nullable [] generations;
    private @Nullable SortedNodes withAffinity;
    private @Nullable SortedNodes withRequiredAntiAffinity;
    // Null for all.
    private @Nullable SortedNodes candidates;

    /** A snapshot of a cluster without nodes. */
    public TrialSnapshot() {
        this(new ClusterSnapshot(), new ChangedNodes(), PodGroups.OFF, new AtomicLong());
    }

    private TrialSnapshot(ClusterSnapshot base, ChangedNodes changed, PodGroups podGroups, AtomicLong lastGeneration) {
        this.base = base;
        this.changed = changed;
        this.podGroups = podGroups;
        this.lastGeneration = lastGeneration;
    }

    /**
     * A snapshot of a cluster that does not change.
     *
     * @param base is never brought up to date any more; any number of trials may begin with it
     */
    public static TrialSnapshot of(ClusterSnapshot base) {
        return new TrialSnapshot(base, new ChangedNodes(), base.podGroups(), new AtomicLong());
    }

    /** Brings it up to date. What is still tried is taken back. */
    public void update(SchedulerCache cache) {
        takeBack(0);
        forgetCopies();
        cache.updateSnapshot(base);
        podGroups = base.podGroups();
    }

    /** A snapshot with the same changes. What is tried on one of the two afterwards, the other one does not see. */
    public TrialSnapshot branch() {
        return new TrialSnapshot(base, changed.branch(), podGroups, lastGeneration);
    }

    /**
     * As {@link #branch()}, with one of the nodes as it is given.
     *
     * @param node a node of this snapshot, or of a branch of it
     */
    public TrialSnapshot branch(NodeInfo node) {
        TrialSnapshot branch = branch();
        branch.put((SnapshotNode) node);
        return branch;
    }

    /** How many changes are tried. */
    public int changes() {
        return undo.size();
    }

    /** Takes the last changes back, until only so many are left. */
    public void takeBack(int changesLeft) {
        while (undo.size() > changesLeft) {
            undo.pop().run();
        }
    }

    /**
     * Thinks of a pod as being on a node.
     *
     * @param pod the pod, which need not have a node yet
     * @throws IllegalArgumentException if there is no such node
     */
    public void assume(Pod pod, String nodeName) {
        assume(pod, nodeName, () -> {});
    }

    /**
     * As {@link #assume(Pod, String)}, for a pod for which more is done.
     *
     * @param undone is run when this is taken back, while the pod is still there
     */
    public void assume(Pod pod, String nodeName, Runnable undone) {
        SnapshotNode node = known(nodeName);
        NodeContents contents = new NodeContents(node);
        contents.add(pod);
        assumed.add(pod.uid());
        change(node, contents, podGroups.tryOn(pod, nodeName), () -> {
            assumed.remove(pod.uid());
            undone.run();
        });
    }

    /**
     * Something else has been tried, in its place among the changes.
     *
     * @param undone is run when this is taken back
     */
    public void tried(Runnable undone) {
        undo.push(undone);
    }

    /** Thinks of the groups of pods as being others. */
    public void tryGroups(UnaryOperator<PodGroups> change) {
        PodGroups before = podGroups;
        podGroups = change.apply(before);
        undo.push(() -> podGroups = before);
    }

    /** Whether the pod is thought of as being on a node. */
    public boolean isAssumed(Pod pod) {
        return assumed.contains(pod.uid());
    }

    /**
     * From now on these are the only nodes to choose from, also if others are added. What else plugins see stays as it is.
     *
     * @param nodes nodes of this snapshot; one that is given several times counts once
     * @throws IllegalArgumentException if one is not
     */
    public void narrow(List<NodeInfo> nodes) {
        List<NodeInfo> narrowed = new ArrayList<>(nodes.size());
        for (NodeInfo node : nodes) {
            NodeInfo known = find(node.name());
            if (known == null) {
                throw new IllegalArgumentException("node " + node.name() + " in placement is not present in snapshot");
            }
            narrowed.add(known);
        }
        SortedNodes before = candidates;
        candidates = SortedNodes.of(narrowed);
        undo.push(() -> candidates = before);
    }

    /** The nodes to choose from, ordered by {@link NodeInfo#index()}: all, unless they were {@linkplain #narrow narrowed}. */
    public List<NodeInfo> candidates() {
        return candidates == null ? nodes() : candidates.view();
    }

    /** The node of that name, if it is one of those to choose from. */
    public Optional<NodeInfo> candidate(String name) {
        SnapshotNode node = find(name);
        return node == null || candidates != null && !candidates.contains(node) ? Optional.empty() : Optional.of(node);
    }

    /**
     * Thinks of pods as being gone, which is one change. A pod that is given several times counts once.
     *
     * @throws IllegalArgumentException if one is not on that node
     */
    public void remove(Collection<Pod> pods, String nodeName) {
        remove(pods, nodeName, () -> {});
    }

    /**
     * As {@link #remove(Collection, String)}, for pods for which more is done.
     *
     * @param undone is run when this is taken back, while the pods are still gone
     * @throws IllegalArgumentException if one is not on that node
     */
    public void remove(Collection<Pod> pods, String nodeName, Runnable undone) {
        SnapshotNode node = known(nodeName);
        NodeContents contents = new NodeContents(node);
        PodGroups groups = podGroups;
        for (Pod pod : Pod.distinct(pods)) {
            if (!contents.remove(pod.uid())) {
                throw new IllegalArgumentException("pod: " + pod.key() + " (expected: a pod on node " + nodeName + ")");
            }
            groups = groups.tryWithout(pod);
        }
        change(node, contents, groups, undone);
    }

    private SnapshotNode known(String name) {
        SnapshotNode node = find(name);
        if (node == null) {
            throw new IllegalArgumentException("nodeName: \"" + name + "\" (expected: a node of the snapshot)");
        }
        return node;
    }

    private @Nullable SnapshotNode find(String name) {
        SnapshotNode node = changed.find(name);
        return node == null ? base.find(name) : node;
    }

    private void change(SnapshotNode before, NodeContents contents, PodGroups groups, Runnable undone) {
        PodGroups groupsBefore = podGroups;
        put(before.with(contents, lastGeneration.decrementAndGet()));
        podGroups = groups;
        undo.push(() -> {
            try {
                undone.run();
            } finally {
                put(before);
                podGroups = groupsBefore;
            }
        });
    }

    @SuppressWarnings("ReferenceEquality") // each state of a node is an object of its own
    private void put(SnapshotNode node) {
        if (base.find(node.name()) == node) {
            changed.revert(node);
        } else {
            changed.put(node);
        }
        if (nodes != null) {
            nodes.set(node.index(), node);
        }
        if (generations != null) {
            generations[node.index()] = node.generation();
        }
        if (candidates != null) {
            candidates.replace(node);
        }
        if (withAffinity != null) {
            withAffinity.putIf(node, WITH_AFFINITY);
        }
        if (withRequiredAntiAffinity != null) {
            withRequiredAntiAffinity.putIf(node, WITH_REQUIRED_ANTI_AFFINITY);
        }
    }

    /** Thinks of nodes as being there, or as being others. The pods on a node that is known stay. */
    public void putNodes(Collection<Node> added) {
        replace((states, tree) -> {
            for (Node node : added) {
                NodeState state = states.computeIfAbsent(node.name(), NodeState::new);
                if (state.node == null) {
                    tree.add(node);
                } else {
                    boolean ignored = tree.update(state.node, node);
                }
                state.node = node;
                state.generation = lastGeneration.decrementAndGet();
            }
        });
    }

    /**
     * Thinks of nodes as being gone, and the pods on them, which is one change.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    public void removeNodes(Collection<String> names) {
        List<SnapshotNode> gone = new ArrayList<>(names.size());
        for (String name : names) {
            gone.add(known(name));
        }
        replace((states, tree) -> {
            for (SnapshotNode node : gone) {
                states.remove(node.name());
                tree.remove(node.node());
            }
        });
        for (SnapshotNode node : gone) {
            for (Pod pod : node.pods()) {
                podGroups = podGroups.tryWithout(pod);
            }
        }
    }

    private void replace(BiConsumer<Map<String, NodeState>, NodeTree> change) {
        Map<String, NodeState> states = new LinkedHashMap<>();
        NodeTree tree = new NodeTree();
        for (NodeInfo node : nodes()) {
            states.put(node.name(), new NodeState((SnapshotNode) node));
            tree.add(node.node());
        }
        change.accept(states, tree);
        ClusterSnapshot baseBefore = base;
        ChangedNodes changedBefore = changed;
        PodGroups groupsBefore = podGroups;
        SortedNodes candidatesBefore = candidates;
        become(ClusterSnapshot.of(states, tree), new ChangedNodes());
        if (candidatesBefore != null) {
            candidates = SortedNodes.of(candidatesBefore.view().stream()
                    .flatMap(node -> node(node.name()).stream())
                    .toList());
        }
        undo.push(() -> {
            become(baseBefore, changedBefore);
            podGroups = groupsBefore;
            candidates = candidatesBefore;
        });
    }

    private void become(ClusterSnapshot newBase, ChangedNodes newChanged) {
        base = newBase;
        changed = newChanged;
        forgetCopies();
    }

    private void forgetCopies() {
        nodes = null;
        generations = null;
        withAffinity = null;
        withRequiredAntiAffinity = null;
    }

    @Override
    public List<NodeInfo> nodes() {
        if (nodes == null) {
            if (changed.isEmpty()) {
                return base.nodes();
            }
            nodes = changedNodes();
        }
        return Collections.unmodifiableList(nodes);
    }

    private List<NodeInfo> changedNodes() {
        List<NodeInfo> all = new ArrayList<>(base.nodes());
        for (SnapshotNode node : changed.nodes()) {
            all.set(node.index(), node);
        }
        return all;
    }

    @Override
    public Optional<NodeInfo> node(String name) {
        return Optional.ofNullable(find(name));
    }

    /** The generation of each node, by its index. Not a copy: only to be read, and only until the next change. */
    public long[] generations() {
        if (generations == null) {
            if (changed.isEmpty()) {
                return base.generations();
            }
            generations = changedGenerations();
        }
        return generations;
    }

    private long[] changedGenerations() {
        long[] all = base.generations().clone();
        for (SnapshotNode node : changed.nodes()) {
            all[node.index()] = node.generation();
        }
        return all;
    }

    @Override
    public List<NodeInfo> nodesWithAffinityPods() {
        if (changed.isEmpty()) {
            return base.nodesWithAffinityPods();
        }
        SortedNodes known = withAffinity;
        if (known == null) {
            known = changed(base.nodesWithAffinityPods(), WITH_AFFINITY);
            withAffinity = known;
        }
        return known.view();
    }

    @Override
    public List<NodeInfo> nodesWithRequiredAntiAffinityPods() {
        if (changed.isEmpty()) {
            return base.nodesWithRequiredAntiAffinityPods();
        }
        SortedNodes known = withRequiredAntiAffinity;
        if (known == null) {
            known = changed(base.nodesWithRequiredAntiAffinityPods(), WITH_REQUIRED_ANTI_AFFINITY);
            withRequiredAntiAffinity = known;
        }
        return known.view();
    }

    // Some nodes of the base with what is changed.
    private SortedNodes changed(List<NodeInfo> ofBase, Predicate<NodeInfo> which) {
        SortedNodes nodes = SortedNodes.of(ofBase);
        for (NodeInfo node : changed.nodes()) {
            nodes.putIf(node, which);
        }
        return nodes;
    }

    @Override
    public Topology topology(String key) {
        // Labels of nodes change with the base alone.
        return base.topology(key);
    }

    @Override
    public PodCount count(Predicate<Pod> which) {
        PodCount ofBase = base.count(which);
        return changed.isEmpty() ? ofBase : new ChangedCount(ofBase, List.copyOf(changed.nodes()));
    }

    /** A count of the base, and what has changed since. */
    private final class ChangedCount implements PodCount {
        private final List<NodeInfo> counted = base.nodes();
        private final PodCount ofBase;
        private final List<SnapshotNode> changed;

        ChangedCount(PodCount ofBase, List<SnapshotNode> changed) {
            this.ofBase = ofBase;
            this.changed = changed;
        }

        @Override
        public int on(NodeInfo node) {
            return ofBase.on(node);
        }

        @Override
        public int[] in(Topology topology) {
            int[] sums = ofBase.in(topology);
            for (SnapshotNode node : changed) {
                int domain = topology.domain(node);
                if (domain != Topology.NONE) {
                    sums[domain] += ofBase.on(node) - ofBase.on(counted.get(node.index()));
                }
            }
            return sums;
        }
    }

    @Override
    public boolean hasImage(String name) {
        return base.hasImage(name);
    }

    @Override
    public PodGroups podGroups() {
        return podGroups;
    }

    @Override
    public boolean isClaimInUse(String namespace, String claimName) {
        String claim = namespace + "/" + claimName;
        int pods = base.podsOfClaim(claim);
        for (SnapshotNode node : changed.nodes()) {
            pods += Collections.frequency(node.claims(), claim)
                    - Collections.frequency(
                            Objects.requireNonNull(base.find(node.name())).claims(), claim);
        }
        return pods > 0;
    }
}
