// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/** A node of a snapshot. A simulated change creates a new node with a separate generation. */
final class SnapshotNode implements NodeInfo {
    private final int index;
    private final SnapshotImages images;
    // Fields instead of arrays or maps, so that the data that plugins read of a node is adjacent in memory.
    private long generation;
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

    /** Creates a node that must be {@link #set} before use. */
    SnapshotNode(int index, SnapshotImages images) {
        this.index = index;
        this.images = images;
    }

    /** Creates a node with the given contents. */
    SnapshotNode(int index, SnapshotImages images, Node node, NodeContents contents, long generation) {
        this(index, images);
        set(node, contents, generation);
    }

    /** Copies a node into another snapshot. */
    SnapshotNode(SnapshotNode original, SnapshotImages images) {
        this(original.index, images);
        node = original.node;
        generation = original.generation;
        // The lists are shared, since they are replaced and never changed.
        pods = original.pods;
        withAffinity = original.withAffinity;
        withRequiredAntiAffinity = original.withRequiredAntiAffinity;
        ports = original.ports;
        claims = original.claims;
        scalars = original.scalars;
        allowedPods = original.allowedPods;
        cpu = original.cpu;
        memory = original.memory;
        ephemeralStorage = original.ephemeralStorage;
        requestedCpu = original.requestedCpu;
        requestedMemory = original.requestedMemory;
        requestedEphemeralStorage = original.requestedEphemeralStorage;
        nonZeroRequestedCpu = original.nonZeroRequestedCpu;
        nonZeroRequestedMemory = original.nonZeroRequestedMemory;
        podCount = original.podCount;
    }

    void set(Node newNode, NodeContents contents, long newGeneration) {
        // The cache keeps changing its list of pods, so the snapshot copies it.
        set(newNode, new ArrayList<>(contents.pods()), contents, newGeneration);
    }

    private void set(Node newNode, List<Pod> ownPods, NodeContents contents, long newGeneration) {
        node = newNode;
        generation = newGeneration;
        pods = Collections.unmodifiableList(ownPods);
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

    /**
     * Returns the same node with other pods.
     *
     * @param contents the new contents, which must not change afterwards
     */
    SnapshotNode with(NodeContents contents, long newGeneration) {
        SnapshotNode changed = new SnapshotNode(index, images);
        changed.set(node(), contents.pods(), contents, newGeneration);
        return changed;
    }

    boolean hasLabelsOf(Node other) {
        Node known = node;
        return known == other || known != null && known.labels().equals(other.labels());
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
    public long generation() {
        return generation;
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

    /** Returns the requests of resources other than cpu, memory and ephemeral storage. */
    Map<String, Long> scalars() {
        return scalars;
    }

    List<HostPort> ports() {
        return ports;
    }

    /** Returns the claims that the pods name, as {@code namespace/name}, once for each pod volume that names it. */
    List<String> claims() {
        return claims;
    }

    @Override
    public boolean conflicts(HostPort port) {
        for (int i = 0; i < ports.size(); i++) {
            if (ports.get(i).conflicts(port)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public ImageState image(String name) {
        ImageState state = images.find(name);
        return state != null && node().hasImage(name) ? state : ImageState.ABSENT;
    }

    @Override
    public String toString() {
        return name();
    }
}
