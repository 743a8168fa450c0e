// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

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
    private final long generation;
    private final long allowedPods;
    private final long cpu;
    private final long memory;
    private final long ephemeralStorage;
    private final long requestedCpu;
    private final long requestedMemory;
    private final long requestedEphemeralStorage;
    private final long nonZeroRequestedCpu;
    private final long nonZeroRequestedMemory;
    private final int podCount;
    private final Node node;
    private final List<Pod> pods;
    private final List<Pod> withAffinity;
    private final List<Pod> withRequiredAntiAffinity;
    private final List<HostPort> ports;
    private final List<String> claims;
    private final Map<String, Long> scalars;
    // Null before the first request; several threads may set it to the same value.
    private @Nullable Integer lowestPriority;

    /**
     * Creates a node.
     *
     * @param images the images of all nodes of its snapshot
     * @param pods the pods of the contents, as a list that does not change afterwards
     */
    SnapshotNode(int index, SnapshotImages images, Node node, List<Pod> pods, NodeContents contents, long generation) {
        this.index = index;
        this.images = images;
        this.node = node;
        this.generation = generation;
        this.pods = Collections.unmodifiableList(pods);
        withAffinity = List.copyOf(contents.withAffinity());
        withRequiredAntiAffinity = List.copyOf(contents.withRequiredAntiAffinity());
        ports = List.copyOf(contents.ports());
        claims = List.copyOf(contents.claims());
        scalars = Map.copyOf(contents.scalars());
        Resources capacity = node.allocatableResources();
        allowedPods = node.allowedPods();
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
        return new SnapshotNode(index, images, node, contents.pods(), contents, newGeneration);
    }

    /** Returns the same node in another snapshot, which has the given images. */
    SnapshotNode in(SnapshotImages ofOther) {
        NodeContents contents = new NodeContents(this);
        return new SnapshotNode(index, ofOther, node, contents.pods(), contents, generation);
    }

    boolean hasLabelsOf(Node other) {
        return node == other || node.labels().equals(other.labels());
    }

    @Override
    public Node node() {
        return node;
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
    public int lowestPriority() {
        Integer known = lowestPriority;
        if (known == null) {
            known = NodeInfo.super.lowestPriority();
            lowestPriority = known;
        }
        return known;
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
            default -> node.allocatableResources().amount(resource);
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
        return state != null && node.hasImage(name) ? state : ImageState.ABSENT;
    }

    @Override
    public String toString() {
        return name();
    }
}
