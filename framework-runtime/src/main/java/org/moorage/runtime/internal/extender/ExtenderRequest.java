// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectDecoder;

/**
 * Reads the requests that {@link ExtenderBodies} writes, for whoever is the extender. What is wrong with one is an {@link
 * ExtenderException}, with Go's words where Go has some.
 */
public final class ExtenderRequest {
    private static final Set<KeptJson> POD = EnumSet.of(KeptJson.PENDING_PODS, KeptJson.BOUND_PODS);

    private final ObjectDecoder decoder;
    private final Set<KeptJson> kept;

    /**
     * A reader.
     *
     * @param keepsPodJson whether pods keep their JSON text, for plugins that read it
     */
    public ExtenderRequest(boolean keepsPodJson) {
        decoder = new ObjectDecoder();
        kept = keepsPodJson ? POD : KeptJson.NONE;
    }

    /**
     * {@code ExtenderArgs}: what to filter or to score.
     *
     * @param pod the pod
     * @param trees the nodes as they were sent; empty if only names were
     * @param nodes the same
     * @param names the names of the nodes; empty if none were sent
     */
    public record Args(Pod pod, Optional<List<ObjectNode>> trees, List<Node> nodes, Optional<List<String>> names) {
        /** The names of all nodes that it is about. */
        public List<String> nodeNames() {
            return trees.isPresent() ? nodes.stream().map(Node::name).toList() : names.orElse(List.of());
        }
    }

    /** Reads {@code ExtenderArgs}. */
    public Args args(byte[] body) {
        GoStruct struct = GoStruct.read("ExtenderArgs", body).asObject();
        Pod pod = pod(struct);
        Optional<List<ObjectNode>> trees = struct.objects("Nodes", "v1.NodeList");
        Optional<List<String>> names = struct.texts("NodeNames");
        if (trees.isEmpty() && names.isEmpty()) {
            throw new ExtenderException("Nodes: nothing (expected: Nodes or NodeNames)");
        }
        List<Node> nodes = new ArrayList<>();
        for (ObjectNode tree : trees.orElse(List.of())) {
            nodes.add(node(tree, nodes.size()));
        }
        return new Args(pod, trees, nodes, names);
    }

    private Node node(ObjectNode tree, int index) {
        try {
            Node node = decoder.node(tree, KeptJson.NONE);
            if (node.name().isEmpty()) {
                throw new ExtenderException("Nodes.items[" + index + "].metadata.name: nothing (expected: a name)");
            }
            return node;
        } catch (ObjectDecodeException malformed) {
            throw new ExtenderException("Nodes.items[" + index + "]: " + text(malformed), false, malformed);
        }
    }

    // It begins with the object's kind, which objects in requests leave out.
    private static String text(ObjectDecodeException malformed) {
        return String.valueOf(malformed.getMessage()).strip();
    }

    private Pod pod(GoStruct struct) {
        ObjectNode tree = struct.object("Pod", "v1.Pod")
                .orElseThrow(() -> new ExtenderException("Pod: nothing (expected: a pod)"));
        try {
            return decoder.pod(tree, kept);
        } catch (ObjectDecodeException malformed) {
            throw new ExtenderException("Pod: " + text(malformed), false, malformed);
        }
    }

    /**
     * The pods that would have to leave a node.
     *
     * @param uids their UIDs
     * @param pdbViolations how many are protected by a disruption budget
     */
    public record Victims(List<String> uids, long pdbViolations) {}

    /**
     * {@code ExtenderPreemptionArgs}.
     *
     * @param pod the pod that preempts
     * @param victimsByNode the candidates
     */
    public record PreemptionArgs(Pod pod, Map<String, Victims> victimsByNode) {}

    /** Reads {@code ExtenderPreemptionArgs}. */
    public PreemptionArgs preemptionArgs(byte[] body) {
        GoStruct struct = GoStruct.read("ExtenderPreemptionArgs", body).asObject();
        Pod pod = pod(struct);
        Map<String, Victims> victims = new LinkedHashMap<>();
        struct.structByName("NodeNameToMetaVictims", "MetaVictims").forEach((node, meta) -> {
            List<String> uids = new ArrayList<>();
            meta.structs("Pods", "MetaPod").forEach(victim -> uids.add(victim.text("UID")));
            victims.put(node, new Victims(uids, meta.number("NumPDBViolations")));
        });
        struct.structByName("NodeNameToVictims", "Victims").forEach((node, whole) -> {
            List<String> uids = new ArrayList<>();
            for (GoStruct victim : whole.structs("Pods", "Pod")) {
                uids.add(victim.tree().path("metadata").path("uid").asText(""));
            }
            victims.put(node, new Victims(uids, whole.number("NumPDBViolations")));
        });
        return new PreemptionArgs(pod, victims);
    }

    /**
     * {@code ExtenderBindingArgs}.
     *
     * @param podName the pod's name
     * @param podNamespace its namespace
     * @param podUid its UID; empty for any pod of that name
     * @param nodeName the node that was chosen for it
     */
    public record BindingArgs(String podName, String podNamespace, String podUid, String nodeName) {}

    /** Reads {@code ExtenderBindingArgs}. */
    public BindingArgs bindingArgs(byte[] body) {
        GoStruct struct = GoStruct.read("ExtenderBindingArgs", body).asObject();
        BindingArgs args = new BindingArgs(
                struct.text("PodName"), struct.text("PodNamespace"), struct.text("PodUID"), struct.text("Node"));
        required("PodName", args.podName());
        required("PodNamespace", args.podNamespace());
        required("Node", args.nodeName());
        return args;
    }

    private static void required(String field, String value) {
        if (value.isEmpty()) {
            throw new ExtenderException(field + ": nothing (expected: a name)");
        }
    }
}
