// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;

/** A node whose figures are added up whenever they are asked for: slow, and easy to believe. */
final class SketchedNode implements NodeInfo {
    private final Node node;
    private final int index;
    private final List<Pod> pods;
    private final Map<String, ImageState> clusterImages;
    private final Set<String> imageNames = new HashSet<>();
    private long generation = 1;

    SketchedNode(Node node, int index, List<Pod> pods, Map<String, ImageState> clusterImages) {
        this.node = node;
        this.index = index;
        this.pods = pods;
        this.clusterImages = clusterImages;
        for (ContainerImage image : node.images()) {
            imageNames.addAll(image.names());
        }
    }

    /** A copy whose pods may change. */
    SketchedNode draft() {
        SketchedNode copy = new SketchedNode(node, index, new ArrayList<>(pods), clusterImages);
        copy.generation = generation + 1;
        return copy;
    }

    /** Adds a pod to a draft. */
    void add(Pod pod) {
        pods.add(pod.withNode(node.name()));
        generation++;
    }

    /** Removes the pod of that identity from a draft. */
    void remove(Pod pod) {
        if (!pods.removeIf(candidate -> candidate.uid().equals(pod.uid()))) {
            throw new IllegalArgumentException(
                    "pod \"" + pod.key() + "\": not on node \"" + node.name() + "\" (expected: one of its pods)");
        }
        generation++;
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
    public List<Pod> pods() {
        return Collections.unmodifiableList(pods);
    }

    @Override
    public List<Pod> podsWithAffinity() {
        return pods.stream()
                .filter(pod -> pod.spec().affinity().hasPodAffinity())
                .toList();
    }

    @Override
    public List<Pod> podsWithRequiredAntiAffinity() {
        return pods.stream()
                .filter(pod -> pod.spec().affinity().hasRequiredAntiAffinity())
                .toList();
    }

    @Override
    public int podCount() {
        return pods.size();
    }

    @Override
    public long allowedPods() {
        return node.allowedPods();
    }

    @Override
    public long allocatable(ResourceName resource) {
        return node.allocatableResources().amount(resource);
    }

    @Override
    public long requested(ResourceName resource) {
        long sum = 0;
        for (Pod pod : pods) {
            sum += pod.requestsWithClaims().amount(resource);
        }
        return sum;
    }

    @Override
    public long nonZeroRequested(ResourceName resource) {
        long sum = 0;
        for (Pod pod : pods) {
            sum += pod.nonZeroRequestsWithClaims().amount(resource);
        }
        return sum;
    }

    @Override
    public boolean conflicts(HostPort port) {
        for (Pod pod : pods) {
            for (HostPort taken : pod.spec().hostPorts()) {
                if (taken.conflicts(port)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public ImageState image(String name) {
        return imageNames.contains(name) ? clusterImages.getOrDefault(name, ImageState.ABSENT) : ImageState.ABSENT;
    }

    @Override
    public long generation() {
        return generation;
    }

    @Override
    public String toString() {
        return node.name();
    }
}
