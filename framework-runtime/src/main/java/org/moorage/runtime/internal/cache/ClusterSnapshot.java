// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodCount;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * A snapshot that is kept: between cycles {@link SchedulerCache#updateSnapshot} brings it up to date in place, at the cost of what changed; during a cycle
 * nothing changes it.
 */
public final class ClusterSnapshot implements Snapshot {
    private static final int MOST_TOPOLOGIES = 64;
    private static final int MOST_POD_COUNTS = 16;

    private final Map<String, SnapshotNode> nodeByName = new HashMap<>();
    private final List<NodeInfo> nodes = new ArrayList<>();
    private final List<NodeInfo> nodesView = Collections.unmodifiableList(nodes);
    private List<NodeInfo> withAffinity = List.of();
    private List<NodeInfo> withRequiredAntiAffinity = List.of();
    private Map<String, ImageState> images = Map.of();
    private final Map<String, Topology> topologies = new ConcurrentHashMap<>();

    // Of the predicates that were asked for last; the one that was used last stands at the end.
    @GuardedBy("podCounts")
    private final Map<Predicate<Pod>, KeptCount> podCounts = new LinkedHashMap<>(MOST_POD_COUNTS, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Predicate<Pod>, KeptCount> eldest) {
            return size() > MOST_POD_COUNTS;
        }
    };

    private final Map<String, Integer> podsByClaim = new HashMap<>();
    private boolean affinityChanged;
    private long generation;
    private long treeVersion;
    private long imagesVersion;

    // By node.
    private long[] generations = new long[0];

    /** An empty snapshot. */
    public ClusterSnapshot() {}

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
        return withAffinity;
    }

    @Override
    public List<NodeInfo> nodesWithRequiredAntiAffinityPods() {
        return withRequiredAntiAffinity;
    }

    @Override
    public Topology topology(String key) {
        Topology known = topologies.get(key);
        if (known == null) {
            // Pods may name any key, so what nobody asks for again must go at some time.
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
        synchronized (podCounts) {
            KeptCount kept = podCounts.get(which);
            if (kept != null) {
                kept.update();
                return kept;
            }
            // Kept when it is asked for again: predicates of somebody else's plugin may be equal to no other.
            podCounts.put(which, new KeptCount(which));
            return Snapshot.super.count(which);
        }
    }

    @Override
    public boolean hasImage(String name) {
        return images.containsKey(name);
    }

    @Override
    public boolean isClaimInUse(String namespace, String claimName) {
        return podsByClaim.containsKey(namespace + "/" + claimName);
    }

    /** The generation of each node, by its index. Not a copy: only to be read, and only during the cycle. */
    public long[] generations() {
        return generations;
    }

    /** A node to try things on. */
    public static DraftNode draft(NodeInfo original) {
        return original instanceof DraftNode draft ? draft.copy() : ((SnapshotNode) original).draft();
    }

    /** A node of the snapshot as somebody else knows it: without pods, and without what the snapshot knows of its images. */
    public static NodeInfo withoutPods(NodeInfo original, Node node) {
        return new DraftNode(node, original.index(), Map.of(), new NodeContents(), original.generation());
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
        return node.index;
    }

    void replaceImages(Map<String, ImageState> all, long version) {
        images = all;
        imagesVersion = version;
    }

    void resize(int size, long version) {
        nodes.clear();
        nodeByName.clear();
        podsByClaim.clear();
        generations = new long[size];
        treeVersion = version;
        affinityChanged = true;
        topologies.clear();
    }

    void set(int index, Node node, NodeContents contents, long nodeGeneration) {
        SnapshotNode target;
        if (index == nodes.size()) {
            target = new SnapshotNode(index);
            nodes.add(target);
        } else {
            target = (SnapshotNode) nodes.get(index);
        }
        nodeByName.put(node.name(), target);
        affinityChanged |=
                target.withAffinity.isEmpty() != contents.withAffinity().isEmpty()
                        || target.withRequiredAntiAffinity.isEmpty()
                                != contents.withRequiredAntiAffinity().isEmpty();
        if (!target.hasLabelsOf(node)) {
            topologies.clear();
        }
        countClaims(target.claims, -1);
        target.set(node, contents);
        countClaims(target.claims, 1);
        generations[index] = nodeGeneration;
    }

    private void countClaims(List<String> claims, int sign) {
        for (String claim : claims) {
            podsByClaim.compute(claim, (key, pods) -> {
                int left = (pods == null ? 0 : pods) + sign;
                return left == 0 ? null : left;
            });
        }
    }

    void finish(long cacheGeneration) {
        generation = cacheGeneration;
        if (affinityChanged) {
            affinityChanged = false;
            List<NodeInfo> any = new ArrayList<>();
            List<NodeInfo> anti = new ArrayList<>();
            for (NodeInfo node : nodes) {
                if (!node.podsWithAffinity().isEmpty()) {
                    any.add(node);
                }
                if (!node.podsWithRequiredAntiAffinity().isEmpty()) {
                    anti.add(node);
                }
            }
            withAffinity = List.copyOf(any);
            withRequiredAntiAffinity = List.copyOf(anti);
        }
    }

    /** A count that is kept from cycle to cycle: only a node of another generation may have other pods. */
    private final class KeptCount implements PodCount {
        private final Predicate<Pod> which;
        private int[] counts = new int[0];
        private long[] countedAt = new long[0];

        KeptCount(Predicate<Pod> which) {
            this.which = which;
        }

        void update() {
            int size = nodes.size();
            if (counts.length != size) {
                counts = new int[size];
                countedAt = new long[size];
            }
            int i = nextChanged(0, size);
            while (i < size) {
                counts[i] = PodCount.of(nodes.get(i), which);
                countedAt[i] = generations[i];
                i = nextChanged(i + 1, size);
            }
        }

        private int nextChanged(int from, int size) {
            int distance = Arrays.mismatch(countedAt, from, size, generations, from, size);
            return distance < 0 ? size : from + distance;
        }

        @Override
        public int on(NodeInfo node) {
            // Others, such as copies to try things on, have other pods than the node of their index.
            return node instanceof SnapshotNode known && known.isOf(ClusterSnapshot.this)
                    ? counts[known.index]
                    : PodCount.of(node, which);
        }

        @Override
        public int[] in(Topology topology) {
            return topology.sums(counts);
        }
    }

    /** A node as it was when the snapshot was brought up to date last. */
    private final class SnapshotNode implements NodeInfo {
        private final int index;
        // Fields and no tables, so that what plugins read of each node lies together.
        private long allowedPods;
        private long cpu;
        private long memory;
        private long ephemeralStorage;
        private long requestedCpu;
        private long requestedMemory;
        private long requestedEphemeralStorage;
        private long nonZeroRequestedCpu;
        private long nonZeroRequestedMemory;
        private int podCount;
        private @Nullable Node node;
        private List<Pod> pods = List.of();
        private List<Pod> withAffinity = List.of();
        private List<Pod> withRequiredAntiAffinity = List.of();
        private List<HostPort> ports = List.of();
        private List<String> claims = List.of();
        private Map<String, Long> scalars = Map.of();

        SnapshotNode(int index) {
            this.index = index;
        }

        boolean isOf(ClusterSnapshot snapshot) {
            return snapshot == ClusterSnapshot.this;
        }

        boolean hasLabelsOf(Node other) {
            Node known = node;
            return known == other || known != null && known.labels().equals(other.labels());
        }

        void set(Node newNode, NodeContents contents) {
            node = newNode;
            // The cache goes on changing its lists, so the snapshot has its own.
            pods = Collections.unmodifiableList(new ArrayList<>(contents.pods()));
            withAffinity = List.copyOf(contents.withAffinity());
            withRequiredAntiAffinity = List.copyOf(contents.withRequiredAntiAffinity());
            ports = List.copyOf(contents.ports());
            claims = List.copyOf(contents.claims());
            scalars = Map.copyOf(contents.scalars());
            Resources capacity = newNode.allocatableResources();
            allowedPods = newNode.allowedPods();
            cpu = capacity.milliCpu();
            memory = capacity.memory();
            ephemeralStorage = capacity.ephemeralStorage();
            requestedCpu = contents.requested(ResourceName.CPU);
            requestedMemory = contents.requested(ResourceName.MEMORY);
            requestedEphemeralStorage = contents.requested(ResourceName.EPHEMERAL_STORAGE);
            nonZeroRequestedCpu = contents.nonZeroRequested(ResourceName.CPU);
            nonZeroRequestedMemory = contents.nonZeroRequested(ResourceName.MEMORY);
            podCount = pods.size();
        }

        DraftNode draft() {
            NodeContents contents = new NodeContents();
            for (Pod pod : pods) {
                contents.add(pod);
            }
            return new DraftNode(node(), index, images, contents, generations[index]);
        }

        @Override
        public Node node() {
            Node known = node;
            if (known == null) {
                throw new IllegalStateException("node " + index + " is not set");
            }
            return known;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public List<Pod> pods() {
            return pods;
        }

        @Override
        public List<Pod> podsWithAffinity() {
            return withAffinity;
        }

        @Override
        public List<Pod> podsWithRequiredAntiAffinity() {
            return withRequiredAntiAffinity;
        }

        @Override
        public int podCount() {
            return podCount;
        }

        @Override
        public long allowedPods() {
            return allowedPods;
        }

        @Override
        public long allocatable(ResourceName resource) {
            return switch (resource.slot()) {
                case 0 -> cpu;
                case 1 -> memory;
                case 2 -> ephemeralStorage;
                default -> node().allocatableResources().amount(resource);
            };
        }

        @Override
        public long requested(ResourceName resource) {
            return switch (resource.slot()) {
                case 0 -> requestedCpu;
                case 1 -> requestedMemory;
                case 2 -> requestedEphemeralStorage;
                default -> scalar(resource);
            };
        }

        @Override
        public long nonZeroRequested(ResourceName resource) {
            return switch (resource.slot()) {
                case 0 -> nonZeroRequestedCpu;
                case 1 -> nonZeroRequestedMemory;
                case 2 -> requestedEphemeralStorage;
                default -> scalar(resource);
            };
        }

        private long scalar(ResourceName resource) {
            Long amount = scalars.get(resource.name());
            return amount == null ? 0 : amount;
        }

        @Override
        public boolean conflicts(HostPort port) {
            return NodeContents.conflicts(ports, port);
        }

        @Override
        public ImageState image(String name) {
            ImageState state = images.get(name);
            return state != null && node().hasImage(name) ? state : ImageState.ABSENT;
        }

        @Override
        public long generation() {
            return generations[index];
        }

        @Override
        public String toString() {
            return name();
        }
    }
}
