// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;

/** A copy of a node to which pods can be added, and from which they can be removed. For one thread at a time. */
public final class DraftNode implements NodeInfo {
    private final Node node;
    private final int index;
    private final Map<String, ImageState> images;
    private final NodeContents contents;
    private final long generation;

    DraftNode(Node node, int index, Map<String, ImageState> images, NodeContents contents, long generation) {
        this.node = node;
        this.index = index;
        this.images = images;
        this.contents = contents;
        this.generation = generation;
    }

    DraftNode copy() {
        return new DraftNode(node, index, images, new NodeContents(contents), generation);
    }

    /** Adds a pod. */
    public void add(Pod pod) {
        contents.add(pod);
    }

    /**
     * Removes a pod.
     *
     * @throws IllegalArgumentException if it is not there
     */
    public void remove(Pod pod) {
        if (!contents.remove(pod.uid())) {
            throw new IllegalArgumentException("pod: " + pod.key() + " (expected: a pod on node " + name() + ")");
        }
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
        return Collections.unmodifiableList(contents.pods());
    }

    @Override
    public List<Pod> podsWithAffinity() {
        return Collections.unmodifiableList(contents.withAffinity());
    }

    @Override
    public List<Pod> podsWithRequiredAntiAffinity() {
        return Collections.unmodifiableList(contents.withRequiredAntiAffinity());
    }

    @Override
    public int podCount() {
        return contents.pods().size();
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
        return contents.requested(resource);
    }

    @Override
    public long nonZeroRequested(ResourceName resource) {
        return contents.nonZeroRequested(resource);
    }

    @Override
    public boolean conflicts(HostPort port) {
        return NodeContents.conflicts(contents.ports(), port);
    }

    @Override
    public ImageState image(String name) {
        ImageState state = images.get(name);
        return state != null && node.hasImage(name) ? state : ImageState.ABSENT;
    }

    @Override
    public long generation() {
        return generation;
    }
}
