// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;

/**
 * Some nodes and the pods on them, as a plugin sees them, without a scheduler. Immutable; nodes are in the order given.
 *
 * <pre>{@code
 * ClusterSketch cluster = ClusterSketch.of(Nodes.named("n1").build()).with(Pods.named("p").on("n1").build());
 * Status status = plugin.filter(new CycleState(), pod, cluster.nodeInfo("n1"));
 * }</pre>
 */
public final class ClusterSketch implements Snapshot {
    private static final ClusterSketch EMPTY = new ClusterSketch(List.of(), Map.of());

    private final List<NodeInfo> nodes;
    private final Map<String, NodeInfo> nodeByName;

    private ClusterSketch(List<NodeInfo> nodes, Map<String, NodeInfo> nodeByName) {
        this.nodes = List.copyOf(nodes);
        this.nodeByName = Map.copyOf(nodeByName);
    }

    /** No node. */
    public static ClusterSketch empty() {
        return EMPTY;
    }

    /** These nodes, without pods. */
    public static ClusterSketch of(Node... nodes) {
        return of(List.of(nodes), List.of());
    }

    /**
     * These nodes and the pods that are on them; pods without a node are left out.
     *
     * @throws IllegalArgumentException if two nodes have one name, or a pod is on a node that is not among them
     */
    public static ClusterSketch of(List<Node> nodes, List<Pod> pods) {
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Node node : nodes) {
            if (podsByNode.put(node.name(), new ArrayList<>()) != null) {
                throw new IllegalArgumentException("node \"" + node.name() + "\": twice (expected: unique names)");
            }
        }
        for (Pod pod : pods) {
            if (pod.isBound()) {
                List<Pod> neighbours = podsByNode.get(pod.nodeName());
                if (neighbours == null) {
                    throw new IllegalArgumentException("pod \"" + pod.key() + "\": on node \"" + pod.nodeName()
                            + "\" (expected: one of the sketch's nodes)");
                }
                neighbours.add(pod);
            }
        }
        Map<String, ImageState> images = imagesOf(nodes);
        List<NodeInfo> infos = new ArrayList<>(nodes.size());
        Map<String, NodeInfo> infoByName = new HashMap<>();
        for (Node node : nodes) {
            NodeInfo info = new SketchedNode(
                    node, infos.size(), List.copyOf(podsByNode.getOrDefault(node.name(), List.of())), images);
            infos.add(info);
            infoByName.put(node.name(), info);
        }
        return new ClusterSketch(infos, infoByName);
    }

    /** This cluster with further pods; those without a node are left out. */
    public ClusterSketch with(Pod... more) {
        List<Node> sameNodes = new ArrayList<>();
        List<Pod> pods = new ArrayList<>();
        for (NodeInfo node : nodes) {
            sameNodes.add(node.node());
            pods.addAll(node.pods());
        }
        pods.addAll(List.of(more));
        return of(sameNodes, pods);
    }

    /**
     * The node of that name.
     *
     * @throws NoSuchElementException if there is none
     */
    public NodeInfo nodeInfo(String name) {
        return node(name).orElseThrow(() -> new NoSuchElementException("node \"" + name + "\": not in the sketch"));
    }

    @Override
    public List<NodeInfo> nodes() {
        return nodes;
    }

    @Override
    public Optional<NodeInfo> node(String name) {
        return Optional.ofNullable(nodeByName.get(name));
    }

    @Override
    public List<NodeInfo> nodesWithAffinityPods() {
        return nodes.stream().filter(node -> !node.podsWithAffinity().isEmpty()).toList();
    }

    @Override
    public List<NodeInfo> nodesWithRequiredAntiAffinityPods() {
        return nodes.stream()
                .filter(node -> !node.podsWithRequiredAntiAffinity().isEmpty())
                .toList();
    }

    @Override
    public boolean isClaimInUse(String namespace, String claimName) {
        return nodes.stream()
                .flatMap(node -> node.pods().stream())
                .anyMatch(pod -> pod.namespace().equals(namespace)
                        && pod.spec().claimNames().contains(claimName));
    }

    // The size is that of the first node that has the image; a node that names it twice still counts once.
    private static Map<String, ImageState> imagesOf(List<Node> nodes) {
        Map<String, ImageState> images = new HashMap<>();
        for (Node node : nodes) {
            Set<String> seen = new HashSet<>();
            for (ContainerImage image : node.images()) {
                for (String name : image.names()) {
                    if (seen.add(name)) {
                        ImageState before = images.getOrDefault(name, new ImageState(image.sizeBytes(), 0));
                        images.put(name, new ImageState(before.sizeBytes(), before.nodes() + 1));
                    }
                }
            }
        }
        return Map.copyOf(images);
    }
}
