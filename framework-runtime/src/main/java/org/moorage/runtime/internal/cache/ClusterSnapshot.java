// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.PodsWithAffinity;
import org.moorage.api.Snapshot;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.Topology;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;

/**
 * A reusable snapshot: {@link SchedulerCache#updateSnapshot} updates it in place between cycles, at a cost proportional
 * to the changes; it does not change during a cycle.
 */
public final class ClusterSnapshot implements Snapshot {
    static final Predicate<NodeInfo> WITH_AFFINITY =
            node -> !node.podsWithAffinity().isEmpty();
    static final Predicate<NodeInfo> WITH_REQUIRED_ANTI_AFFINITY =
            node -> !node.podsWithRequiredAntiAffinity().isEmpty();
    private static final int MOST_TOPOLOGIES = 64;
    // Pods that are gone stay in memory for that many changes.
    private static final int MOST_POD_CHANGES = 1 << 14;
    /** The generation of a node that is in no cache. */
    private static final long UNKNOWN_GENERATION = Long.MIN_VALUE;

    private final Map<String, SnapshotNode> nodeByName = new HashMap<>();
    private final List<NodeInfo> nodes = new ArrayList<>();
    private final List<NodeInfo> nodesView = Collections.unmodifiableList(nodes);
    private final SortedNodes withAffinity = SortedNodes.of(List.of());
    private final SortedNodes withRequiredAntiAffinity = SortedNodes.of(List.of());
    private final SnapshotImages images = new SnapshotImages();
    private final Map<String, Topology> topologies = new ConcurrentHashMap<>();

    private final KeptCounts podCounts = new KeptCounts(nodes::get, this::counted, MOST_POD_CHANGES);
    // Counts the pods before the nodes were changed; null if only a visit of all nodes can count them.
    private @Nullable Function<Predicate<Pod>, NodeCounts> counter;
    // Null before the first count that it is used for, and if it would need too much memory.
    private @Nullable PodTemplates templates;
    private boolean countsByTemplate = true;
    private final Map<String, Integer> podsByClaim = new HashMap<>();
    private final Map<PodsWithAffinity, Integer> podsByAffinity = new LinkedHashMap<>();
    private final Set<PodsWithAffinity> podsWithAffinity = Collections.unmodifiableSet(podsByAffinity.keySet());
    private PodGroups podGroups = PodGroups.OFF;
    private long generation;
    private long treeVersion;
    private long imagesVersion;

    // By node index.
    private long[] generations = new long[0];

    /**
     * Returns a snapshot of the given nodes.
     *
     * @param stateByName the state of each node
     * @param tree their order
     */
    static ClusterSnapshot of(Map<String, NodeState> stateByName, NodeTree tree) {
        NodeImages images = new NodeImages();
        stateByName.values().forEach(state -> images.add(Objects.requireNonNull(state.node)));
        ClusterSnapshot snapshot = new ClusterSnapshot();
        snapshot.images.replace(images.all());
        snapshot.fill(stateByName, tree, 0);
        snapshot.finish(0, PodGroups.OFF);
        return snapshot;
    }

    /** Returns a copy, which is not updated with this snapshot. */
    public ClusterSnapshot copy() {
        ClusterSnapshot copy = new ClusterSnapshot();
        copy.images.replaceBy(images);
        for (NodeInfo node : nodes) {
            copy.put(((SnapshotNode) node).in(copy.images));
        }
        copy.generations = generations.clone();
        copy.topologies.putAll(topologies);
        copy.podsByClaim.putAll(podsByClaim);
        copy.podsByAffinity.putAll(podsByAffinity);
        copy.treeVersion = treeVersion;
        copy.imagesVersion = imagesVersion;
        copy.finish(generation, podGroups);
        return copy;
    }

    @Override
    public List<NodeInfo> nodes() {
        return nodesView;
    }

    @Override
    public Optional<NodeInfo> node(String name) {
        return Optional.ofNullable(nodeByName.get(name));
    }

    @Override
    public List<NodeInfo> nodesWithAffinityPods() {
        return withAffinity.view();
    }

    @Override
    public List<NodeInfo> nodesWithRequiredAntiAffinityPods() {
        return withRequiredAntiAffinity.view();
    }

    @Override
    public Set<PodsWithAffinity> podsWithAffinity() {
        return podsWithAffinity;
    }

    @Override
    public Topology topology(String key) {
        Topology known = topologies.get(key);
        if (known == null) {
            // Pods may name any key, so unused topologies must be evicted eventually.
            if (topologies.size() >= MOST_TOPOLOGIES) {
                topologies.clear();
            }
            known = Topology.of(key, nodesView);
            topologies.put(key, known);
        }
        return known;
    }

    @Override
    public PodCount count(Predicate<Pod> which) {
        return podCounts.find(which);
    }

    /** Returns a copy of the number of matching pods by node. */
    NodeCounts counts(Predicate<Pod> which) {
        return podCounts.copy(which);
    }

    /** Derives the counts from another snapshot, whose nodes have the same pods as far as they are nodes of this one. */
    void countBy(List<NodeInfo> others, Function<Predicate<Pod>, NodeCounts> countOfOthers) {
        int[] indexes = new int[others.size()];
        for (int i = 0; i < indexes.length; i++) {
            SnapshotNode same = nodeByName.get(others.get(i).name());
            indexes[i] = same == null ? -1 : same.index();
        }
        counter = which -> countOfOthers.apply(which).withIndexes(nodes.size(), index -> indexes[index]);
    }

    private NodeCounts counted(Predicate<Pod> which) {
        if (counter != null) {
            return counter.apply(which);
        }
        if (which instanceof TemplatePredicate ofTemplates) {
            if (templates == null && countsByTemplate) {
                templates = PodTemplates.of(nodes);
                countsByTemplate = templates != null;
            }
            if (templates != null) {
                return templates.count(ofTemplates);
            }
        }
        NodeCounts counts = new NodeCounts(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            counts.add(i, PodCount.of(nodes.get(i), which));
        }
        return counts;
    }

    @Override
    public boolean hasImage(String name) {
        return images.find(name) != null;
    }

    @Override
    public boolean isClaimInUse(String namespace, String claimName) {
        return podsOfClaim(namespace + "/" + claimName) > 0;
    }

    @Override
    public PodGroups podGroups() {
        return podGroups;
    }

    /** Returns the number of pod volumes that name a claim, given as {@code namespace/name}. */
    int podsOfClaim(String claim) {
        return podsByClaim.getOrDefault(claim, 0);
    }

    @Nullable
    SnapshotNode find(String name) {
        return nodeByName.get(name);
    }

    /** Returns the generations of the nodes, by node index. Not a copy: read-only, and valid during the cycle. */
    public long[] generations() {
        return generations;
    }

    /** Returns a node of the snapshot with another node object, without pods and without image states. */
    public static NodeInfo withoutPods(NodeInfo original, Node node) {
        return new SnapshotNode(
                original.index(), new SnapshotImages(), node, List.of(), new NodeContents(), UNKNOWN_GENERATION);
    }

    long generation() {
        return generation;
    }

    long treeVersion() {
        return treeVersion;
    }

    long imagesVersion() {
        return imagesVersion;
    }

    int indexOf(String name) {
        SnapshotNode node = nodeByName.get(name);
        if (node == null) {
            throw new IllegalStateException("node " + name + " is not in the snapshot (expected: listed by the cache)");
        }
        return node.index();
    }

    void replaceImages(Map<String, ImageState> all, long version) {
        images.replace(all);
        imagesVersion = version;
    }

    /** Replaces all nodes, in the order of a tree of that version. */
    void fill(Map<String, NodeState> stateByName, NodeTree tree, long version) {
        List<String> names = tree.names();
        nodes.clear();
        nodeByName.clear();
        podsByClaim.clear();
        podsByAffinity.clear();
        generations = new long[names.size()];
        treeVersion = version;
        withAffinity.clear();
        withRequiredAntiAffinity.clear();
        topologies.clear();
        podCounts.clear();
        templates = null;
        countsByTemplate = true;
        for (int i = 0; i < names.size(); i++) {
            NodeState state = stateByName.get(names.get(i));
            if (state == null || state.node == null) {
                throw new IllegalStateException("node " + names.get(i) + " is listed but not known");
            }
            set(i, state.node, state.contents, state.generation);
        }
    }

    void set(int index, Node node, NodeContents contents, long nodeGeneration) {
        // The cache keeps changing its list of pods, so the snapshot copies it.
        SnapshotNode after =
                new SnapshotNode(index, images, node, new ArrayList<>(contents.pods()), contents, nodeGeneration);
        if (index < nodes.size()) {
            changed((SnapshotNode) nodes.get(index), after);
        } else {
            countAffinity(after.podsWithAffinity(), 1);
        }
        countClaims(after.claims(), 1);
        put(after);
        generations[index] = nodeGeneration;
    }

    private void changed(SnapshotNode before, SnapshotNode after) {
        if (!before.hasLabelsOf(after.node())) {
            topologies.clear();
        }
        if (!podCounts.isEmpty()) {
            long ignored = podCounts.changed(before.index(), before.pods(), after.pods());
        }
        if (templates != null && !templates.change(before.index(), before.pods(), after.pods())) {
            templates = null;
        }
        countClaims(before.claims(), -1);
        // Another version of a pod is another pod.
        if (!before.podsWithAffinity().equals(after.podsWithAffinity())) {
            countAffinity(before.podsWithAffinity(), -1);
            countAffinity(after.podsWithAffinity(), 1);
        }
    }

    private void put(SnapshotNode node) {
        if (node.index() == nodes.size()) {
            nodes.add(node);
        } else {
            nodes.set(node.index(), node);
        }
        nodeByName.put(node.name(), node);
        withAffinity.putIf(node, WITH_AFFINITY);
        withRequiredAntiAffinity.putIf(node, WITH_REQUIRED_ANTI_AFFINITY);
    }

    private void countClaims(List<String> claims, int sign) {
        for (String claim : claims) {
            count(podsByClaim, claim, sign);
        }
    }

    private void countAffinity(List<Pod> pods, int sign) {
        for (Pod pod : pods) {
            count(podsByAffinity, PodsWithAffinity.of(pod), sign);
        }
    }

    /** Adds an amount to the number of a key, which is removed when the number is 0. */
    static <K> void count(Map<K, Integer> numbers, K key, int amount) {
        numbers.compute(key, (any, number) -> {
            int sum = (number == null ? 0 : number) + amount;
            return sum == 0 ? null : sum;
        });
    }

    void finish(long cacheGeneration, PodGroups groups) {
        generation = cacheGeneration;
        podGroups = groups;
    }
}
