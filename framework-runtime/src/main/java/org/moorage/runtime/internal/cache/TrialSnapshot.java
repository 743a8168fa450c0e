// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
import org.moorage.api.PodsWithAffinity;
import org.moorage.api.Snapshot;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.Topology;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;

/**
 * The snapshot of a cycle, with changes that are simulated and reverted in reverse order. Without changes it equals the
 * cache's snapshot.
 *
 * <p>A change of the pods on a node replaces the node by a new one with a new generation; reverting the change restores
 * the previous node and generation. So data cached by generation, such as plugin results and pod counts, is valid for
 * exactly one state of a node.
 *
 * <p>A member of a pod group that is assumed on a node is an assumed pod of its group, or an assigned pod if the
 * cluster shows it as bound. A removed member leaves its group. A pod that its group does not know does not become a
 * member.
 *
 * <p>Not for concurrent use; each of several threads may use its own {@link #branch}.
 */
public final class TrialSnapshot implements Snapshot {
    private static final int MOST_POD_CHANGES = 1 << 18;
    // Counting anew then takes less time than reverting the changes of each count.
    private static final int MOST_REVERTED_IN_COUNTS = 1 << 10;

    // Shared with the branches. Negative, unlike generations of caches; each value identifies one state of one node.
    private final AtomicLong lastGeneration;
    private final Deque<Runnable> undo = new ArrayDeque<>();
    // The UIDs of the pods that are assumed in this trial.
    private final Set<String> assumed = new HashSet<>();
    // How many of them are in a group that the base did not have.
    private final Map<PodsWithAffinity, Integer> newPodsWithAffinity = new LinkedHashMap<>();

    private ClusterSnapshot base;
    private ChangedNodes changed;
    private PodGroups podGroups;

    // The nodes of the base with the changed ones; created on first use.
    private @Nullable List<NodeInfo> nodes;
    private long @Nullable [] generations;
    private @Nullable SortedNodes withAffinity;
    private @Nullable SortedNodes withRequiredAntiAffinity;
    // Null for all.
    private @Nullable SortedNodes candidates;
    // Null before the first request of a count with changes.
    private @Nullable KeptCounts podCounts;
    // The templates of the pods on all nodes; null until new counts have visited more changed nodes than there are
    // nodes, and if they would need too much memory.
    private @Nullable PodTemplates templates;
    private boolean countsByTemplate = true;
    private long visited;

    /** Creates a snapshot of a cluster without nodes. */
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
     * Returns a trial on a cluster that does not change.
     *
     * @param base must not be updated any more; any number of trials may share it
     */
    public static TrialSnapshot of(ClusterSnapshot base) {
        return new TrialSnapshot(base, new ChangedNodes(), base.podGroups(), new AtomicLong());
    }

    /** Reverts all changes and updates the snapshot from the cache. */
    public void update(SchedulerCache cache) {
        revertTo(0);
        forgetCopies();
        podCounts = null;
        templates = null;
        countsByTemplate = true;
        visited = 0;
        cache.updateSnapshot(base);
        podGroups = base.podGroups();
    }

    /** Returns a snapshot with the same changes. Later changes of one of the two do not affect the other. */
    public TrialSnapshot branch() {
        TrialSnapshot branch = new TrialSnapshot(base, changed.branch(), podGroups, lastGeneration);
        branch.newPodsWithAffinity.putAll(newPodsWithAffinity);
        return branch;
    }

    /**
     * As {@link #branch()}, with one node replaced.
     *
     * @param node a node of this snapshot, or of a branch of it
     */
    public TrialSnapshot branch(NodeInfo node) {
        TrialSnapshot branch = branch();
        branch.put((SnapshotNode) node);
        for (Pod pod : node.podsWithAffinity()) {
            branch.newPodsWithAffinity(pod).ifPresent(group -> branch.newPodsWithAffinity.putIfAbsent(group, 1));
        }
        return branch;
    }

    /** Returns the number of changes that are not reverted. */
    public int changes() {
        return undo.size();
    }

    /** Reverts the last changes until the given number is left. */
    public void revertTo(int changesLeft) {
        discardCounts(undo.size() - changesLeft);
        while (undo.size() > changesLeft) {
            undo.pop().run();
        }
    }

    private void discardCounts(int reverted) {
        if (podCounts != null && reverted > MOST_REVERTED_IN_COUNTS) {
            podCounts.clear();
        }
    }

    /**
     * Assumes a pod on a node.
     *
     * @param pod the pod; it does not have to have a node yet
     * @throws IllegalArgumentException if there is no such node
     */
    public void assume(Pod pod, String nodeName) {
        assume(pod, nodeName, () -> {});
    }

    /**
     * As {@link #assume(Pod, String)}, with an action that runs when the change is reverted.
     *
     * @param undone runs when the change is reverted, before the pod is removed
     */
    public void assume(Pod pod, String nodeName, Runnable undone) {
        SnapshotNode node = known(nodeName);
        NodeContents contents = new NodeContents(node);
        contents.add(pod);
        assumed.add(pod.uid());
        Optional<PodsWithAffinity> added = newPodsWithAffinity(pod);
        added.ifPresent(group -> ClusterSnapshot.count(newPodsWithAffinity, group, 1));
        change(node, contents, podGroups.assumeInTrial(pod, nodeName), () -> {
            assumed.remove(pod.uid());
            added.ifPresent(group -> ClusterSnapshot.count(newPodsWithAffinity, group, -1));
            undone.run();
        });
    }

    private Optional<PodsWithAffinity> newPodsWithAffinity(Pod pod) {
        return pod.spec().affinity().hasPodAffinity()
                ? Optional.of(PodsWithAffinity.of(pod))
                        .filter(group -> !base.podsWithAffinity().contains(group))
                : Optional.empty();
    }

    /**
     * Records another change, such as one of the stored objects, so that it is reverted in order.
     *
     * @param undone runs when the change is reverted
     */
    public void onRevert(Runnable undone) {
        undo.push(undone);
    }

    /** Replaces the pod groups, as one change. */
    public void changeGroups(UnaryOperator<PodGroups> change) {
        PodGroups before = podGroups;
        podGroups = change.apply(before);
        undo.push(() -> podGroups = before);
    }

    /** Returns whether the pod was assumed on a node in this trial. */
    public boolean isAssumed(Pod pod) {
        return assumed.contains(pod.uid());
    }

    /**
     * Restricts the candidate nodes to the given ones, even if nodes are added later. Plugins still see all nodes.
     *
     * @param nodes nodes of this snapshot; duplicates are ignored
     * @throws IllegalArgumentException if one is not a node of this snapshot
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

    /**
     * Removes nodes from the candidate nodes. Plugins still see all nodes.
     *
     * @param excluded nodes of this snapshot; those that are no candidates are ignored
     */
    public void exclude(List<NodeInfo> excluded) {
        SortedNodes before = candidates;
        SortedNodes left = SortedNodes.of(candidates());
        for (NodeInfo node : excluded) {
            left.putIf(node, any -> false);
        }
        candidates = left;
        undo.push(() -> candidates = before);
    }

    /**
     * Returns the candidate nodes, ordered by {@link NodeInfo#index()}: all, unless they were {@linkplain #narrow
     * narrowed}.
     */
    public List<NodeInfo> candidates() {
        return candidates == null ? nodes() : candidates.view();
    }

    public Optional<NodeInfo> candidate(String name) {
        SnapshotNode node = find(name);
        return node == null || candidates != null && !candidates.contains(node) ? Optional.empty() : Optional.of(node);
    }

    /**
     * Removes pods, as one change. Duplicates are ignored.
     *
     * @throws IllegalArgumentException if a pod is not on that node
     */
    public void remove(Collection<Pod> pods, String nodeName) {
        remove(pods, nodeName, () -> {});
    }

    /**
     * As {@link #remove(Collection, String)}, with an action that runs when the change is reverted.
     *
     * @param undone runs when the change is reverted, before the pods are restored
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
            groups = groups.removeInTrial(pod);
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
        SnapshotNode after = before.with(contents, lastGeneration.decrementAndGet());
        KeptCounts counts = podCounts;
        long number = counts == null ? 0 : counts.changed(after.index(), before.pods(), after.pods());
        changeTemplates(before, after);
        put(after);
        podGroups = groups;
        undo.push(() -> {
            try {
                undone.run();
            } finally {
                put(before);
                changeTemplates(after, before);
                podGroups = groupsBefore;
                if (counts != null) {
                    counts.revertTo(number);
                } else if (podCounts != null) {
                    long ignored = podCounts.changed(before.index(), after.pods(), before.pods());
                }
            }
        });
    }

    private void changeTemplates(SnapshotNode before, SnapshotNode after) {
        if (templates != null && !templates.change(after.index(), before.pods(), after.pods())) {
            templates = null;
            countsByTemplate = false;
        }
    }

    @SuppressWarnings("ReferenceEquality") // each state of a node is a separate object
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
            withAffinity.putIf(node, ClusterSnapshot.WITH_AFFINITY);
        }
        if (withRequiredAntiAffinity != null) {
            withRequiredAntiAffinity.putIf(node, ClusterSnapshot.WITH_REQUIRED_ANTI_AFFINITY);
        }
    }

    /** Adds or replaces nodes, as one change. Pods on an existing node stay. */
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
     * Removes nodes and the pods on them, as one change.
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
                podGroups = podGroups.removeInTrial(pod);
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
        KeptCounts countsBefore = podCounts;
        PodTemplates templatesBefore = templates;
        long visitedBefore = visited;
        List<NodeInfo> nodesBefore = base.nodes();
        become(ClusterSnapshot.of(states, tree), new ChangedNodes());
        base.countBy(
                nodesBefore,
                which -> templatesBefore != null && which instanceof TemplatePredicate ofTemplates
                        ? templatesBefore.count(ofTemplates)
                        : counted(which, baseBefore, changedBefore));
        podCounts = null;
        templates = null;
        visited = 0;
        if (candidatesBefore != null) {
            candidates = SortedNodes.of(candidatesBefore.view().stream()
                    .flatMap(node -> node(node.name()).stream())
                    .toList());
        }
        undo.push(() -> {
            become(baseBefore, changedBefore);
            podGroups = groupsBefore;
            candidates = candidatesBefore;
            podCounts = countsBefore;
            templates = templatesBefore;
            visited = visitedBefore;
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

    /** Returns the generations of the nodes, by node index. Not a copy: read-only, and valid until the next change. */
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
            known = changed(base.nodesWithAffinityPods(), ClusterSnapshot.WITH_AFFINITY);
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
            known = changed(base.nodesWithRequiredAntiAffinityPods(), ClusterSnapshot.WITH_REQUIRED_ANTI_AFFINITY);
            withRequiredAntiAffinity = known;
        }
        return known.view();
    }

    // Some nodes of the base, updated with the changed ones.
    private SortedNodes changed(List<NodeInfo> ofBase, Predicate<NodeInfo> which) {
        SortedNodes nodes = SortedNodes.of(ofBase);
        for (NodeInfo node : changed.nodes()) {
            nodes.putIf(node, which);
        }
        return nodes;
    }

    @Override
    public Set<PodsWithAffinity> podsWithAffinity() {
        if (newPodsWithAffinity.isEmpty()) {
            return base.podsWithAffinity();
        }
        Set<PodsWithAffinity> all = new LinkedHashSet<>(base.podsWithAffinity());
        all.addAll(newPodsWithAffinity.keySet());
        return all;
    }

    @Override
    public Topology topology(String key) {
        // Node labels change only with the base.
        return base.topology(key);
    }

    @Override
    public PodCount count(Predicate<Pod> which) {
        if (changed.isEmpty()) {
            return base.count(which);
        }
        if (podCounts == null) {
            podCounts = new KeptCounts(this::at, this::counted, MOST_POD_CHANGES);
        }
        return podCounts.find(which);
    }

    private NodeInfo at(int index) {
        return nodes == null ? nodes().get(index) : nodes.get(index);
    }

    private NodeCounts counted(Predicate<Pod> which) {
        if (which instanceof TemplatePredicate ofTemplates) {
            if (templates == null && countsByTemplate && visited > nodes().size()) {
                templates = PodTemplates.of(nodes());
                countsByTemplate = templates != null;
            }
            if (templates != null) {
                return templates.count(ofTemplates);
            }
        }
        visited += changed.nodes().size();
        return counted(which, base, changed);
    }

    // The count of the base, with the pods of the changed nodes in place of those that they had.
    private static NodeCounts counted(Predicate<Pod> which, ClusterSnapshot base, ChangedNodes changed) {
        NodeCounts counts = base.counts(which);
        for (SnapshotNode node : changed.nodes()) {
            int index = node.index();
            counts.add(index, PodCount.of(node, which) - counts.get(index));
        }
        return counts;
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
