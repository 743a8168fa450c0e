// SPDX-License-Identifier: Apache-2.0
package org.moorage.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.GoStruct;
import org.moorage.objects.tree.TreeDecoder;

/**
 * Reads the requests of schedulers. Malformed requests cause an {@link ObjectDecodeException}, with Go's message where
 * Go has one.
 */
final class ExtenderRequest {
    private static final GoStruct ARGS = new GoStruct("ExtenderArgs", NullNode.instance);
    private static final GoStruct PREEMPTION_ARGS = new GoStruct("ExtenderPreemptionArgs", NullNode.instance);
    private static final GoStruct BINDING_ARGS = new GoStruct("ExtenderBindingArgs", NullNode.instance);

    // Upper bounds of memory, measured: a node in the snapshot and in plugin results, a value in a node in addition to
    // its text, and a name that is rejected or scored.
    private static final int NODE_BYTES = 1536;
    private static final int FIELD_BYTES = 64;
    private static final int NAME_BYTES = 256;

    private static final Set<KeptJson> POD = EnumSet.of(KeptJson.PENDING_PODS, KeptJson.BOUND_PODS);

    private final TreeDecoder decoder;
    private final Set<KeptJson> kept;

    /**
     * Creates a reader.
     *
     * @param keepsPodJson whether pods keep their JSON text, for plugins that read it
     */
    public ExtenderRequest(boolean keepsPodJson) {
        decoder = new TreeDecoder();
        kept = keepsPodJson ? POD : KeptJson.NONE;
    }

    /** Counts the heap memory of requests. */
    public interface Memory {
        /** Reserves bytes before they are used; throws if they are not available. */
        void take(long bytes);

        /** Releases bytes that are no longer used. */
        void giveBack(long bytes);
    }

    /**
     * {@code ExtenderArgs}: what to filter or to score.
     *
     * @param pod the pod
     * @param nodes the nodes; empty if only names were sent
     * @param texts the JSON of the nodes as received; none if the response does not contain nodes
     * @param names the names of the nodes; empty if none were sent
     */
    public record Args(Pod pod, Optional<List<Node>> nodes, List<byte[]> texts, Optional<List<String>> names) {
        /** Returns the names of all nodes in the request. */
        public List<String> nodeNames() {
            return nodes.isPresent() ? nodes.get().stream().map(Node::name).toList() : names.orElse(List.of());
        }
    }

    /**
     * Reads {@code ExtenderArgs}.
     *
     * @param input the body
     * @param keepsTexts whether the response contains nodes
     * @param memory counts what the request takes
     * @throws IOException if the body breaks off
     */
    public Args args(InputStream input, boolean keepsTexts, Memory memory) throws IOException {
        try (RequestReader body = new RequestReader(input, memory)) {
            ArgsReading reading = new ArgsReading(body, keepsTexts, memory);
            if (body.isObject(ARGS)) {
                body.fields(reading::field);
            }
            return reading.args();
        }
    }

    /**
     * The part of {@code ExtenderArgs} that was read so far. If a field occurs in several spellings, the last one wins.
     */
    private final class ArgsReading {
        private final RequestReader body;
        private final boolean keepsTexts;
        private final Memory memory;
        private Optional<Pod> pod = Optional.empty();
        private Optional<List<Node>> nodes = Optional.empty();
        private List<byte[]> texts = List.of();
        private Optional<List<String>> names = Optional.empty();

        ArgsReading(RequestReader body, boolean keepsTexts, Memory memory) {
            this.body = body;
            this.keepsTexts = keepsTexts;
            this.memory = memory;
        }

        void field(String name) throws IOException {
            if (name.equalsIgnoreCase("Pod")) {
                pod = pod(body, ARGS);
            } else if (name.equalsIgnoreCase("Nodes")) {
                nodes = Optional.empty();
                texts = new ArrayList<>();
                if (body.isObject(ARGS, "Nodes", "v1.NodeList")) {
                    nodes = Optional.of(new ArrayList<>());
                    body.fields(this::fieldOfNodes);
                }
            } else if (name.equalsIgnoreCase("NodeNames")) {
                JsonNode value = body.value();
                memory.take(NAME_BYTES * body.values());
                names = new GoStruct(
                                "ExtenderArgs",
                                JsonNodeFactory.instance.objectNode().set(name, value))
                        .texts("NodeNames");
            } else {
                body.skip();
            }
        }

        private void fieldOfNodes(String name) throws IOException {
            if (!name.equalsIgnoreCase("items")) {
                body.skip();
                return;
            }
            List<Node> items = new ArrayList<>();
            nodes = Optional.of(items);
            texts = new ArrayList<>();
            if (body.isArray(ARGS, "Nodes.items", "[]v1.Node")) {
                body.items(() -> items.add(item(items.size())));
            }
        }

        private Node item(int index) throws IOException {
            body.cut();
            long tree = body.treeBytes();
            memory.take(tree);
            if (!(body.tree() instanceof ObjectNode object)) {
                throw ARGS.wrong(body.tree(), "Nodes.items", "v1.Node");
            }
            Node node = node(object, index);
            memory.giveBack(tree);
            memory.take(NODE_BYTES + body.length() + FIELD_BYTES * body.values() + (keepsTexts ? body.length() : 0));
            if (keepsTexts) {
                texts.add(body.text());
            }
            return node;
        }

        Args args() {
            if (nodes.isEmpty() && names.isEmpty() && pod.isPresent()) {
                throw new ObjectDecodeException("Nodes: nothing (expected: Nodes or NodeNames)");
            }
            return new Args(present(pod), nodes, texts, names);
        }
    }

    private Node node(ObjectNode tree, int index) {
        Node node;
        try {
            node = decoder.node(tree, KeptJson.NONE);
        } catch (ObjectDecodeException malformed) {
            throw new ObjectDecodeException("Nodes.items[" + index + "]: " + text(malformed));
        }
        if (node.name().isEmpty()) {
            throw new ObjectDecodeException("Nodes.items[" + index + "].metadata.name: nothing (expected: a name)");
        }
        return node;
    }

    // The message starts with the object's kind, which is empty for objects in requests.
    private static String text(ObjectDecodeException malformed) {
        return String.valueOf(malformed.getMessage()).strip();
    }

    private Optional<Pod> pod(RequestReader body, GoStruct request) throws IOException {
        if (!body.isObject(request, "Pod", "v1.Pod")) {
            return Optional.empty();
        }
        JsonNode tree = body.value();
        try {
            return Optional.of(decoder.pod((ObjectNode) tree, kept));
        } catch (ObjectDecodeException malformed) {
            throw new ObjectDecodeException("Pod: " + text(malformed));
        }
    }

    private static Pod present(Optional<Pod> pod) {
        return pod.orElseThrow(() -> new ObjectDecodeException("Pod: nothing (expected: a pod)"));
    }

    /**
     * The victims on a node: pods that would be preempted.
     *
     * @param uids their UIDs
     * @param pdbViolations how many evictions would violate a PodDisruptionBudget
     */
    public record Victims(List<String> uids, long pdbViolations) {}

    /**
     * {@code ExtenderPreemptionArgs}.
     *
     * @param pod the preempting pod
     * @param victimsByNode the victims of each candidate node
     */
    public record PreemptionArgs(Pod pod, Map<String, Victims> victimsByNode) {}

    /**
     * Reads {@code ExtenderPreemptionArgs}.
     *
     * @param input the body
     * @param memory counts what the request takes
     * @throws IOException if the body breaks off
     */
    public PreemptionArgs preemptionArgs(InputStream input, Memory memory) throws IOException {
        try (RequestReader body = new RequestReader(input, memory)) {
            PreemptionReading reading = new PreemptionReading(body, memory);
            if (body.isObject(PREEMPTION_ARGS)) {
                body.fields(reading::field);
            }
            return new PreemptionArgs(present(reading.pod), reading.victims);
        }
    }

    /** The part of {@code ExtenderPreemptionArgs} that was read so far. */
    private final class PreemptionReading {
        private final RequestReader body;
        private final Memory memory;
        private final Map<String, Victims> victims = new LinkedHashMap<>();
        private Optional<Pod> pod = Optional.empty();

        PreemptionReading(RequestReader body, Memory memory) {
            this.body = body;
            this.memory = memory;
        }

        void field(String name) throws IOException {
            if (name.equalsIgnoreCase("Pod")) {
                pod = pod(body, PREEMPTION_ARGS);
            } else if (name.equalsIgnoreCase("NodeNameToMetaVictims")) {
                candidates("NodeNameToMetaVictims", "MetaVictims", "MetaPod", victim -> victim.text("UID"));
            } else if (name.equalsIgnoreCase("NodeNameToVictims")) {
                candidates(
                        "NodeNameToVictims",
                        "Victims",
                        "Pod",
                        victim -> victim.tree().path("metadata").path("uid").asText(""));
            } else {
                body.skip();
            }
        }

        private void candidates(String field, String struct, String pods, Function<GoStruct, String> uid)
                throws IOException {
            if (!body.isObject(PREEMPTION_ARGS, field, "map[string]*v1." + struct)) {
                return;
            }
            body.fields(node -> {
                body.cut();
                long tree = body.treeBytes();
                memory.take(tree);
                GoStruct candidate = new GoStruct(struct, body.tree()).asObject();
                List<String> uids = new ArrayList<>();
                long length = 2L * node.length() + NAME_BYTES;
                for (GoStruct victim : candidate.structs("Pods", pods)) {
                    uids.add(uid.apply(victim));
                    length += NAME_BYTES + 2L * uids.get(uids.size() - 1).length();
                }
                memory.take(length);
                victims.put(node, new Victims(uids, candidate.number("NumPDBViolations")));
                memory.giveBack(tree);
            });
        }
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

    /**
     * Reads {@code ExtenderBindingArgs}.
     *
     * @param input the body
     * @param memory counts what the request takes
     * @throws IOException if the body breaks off
     */
    public BindingArgs bindingArgs(InputStream input, Memory memory) throws IOException {
        GoStruct struct;
        try (RequestReader body = new RequestReader(input, memory)) {
            struct =
                    new GoStruct(BINDING_ARGS.struct(), body.isObject(BINDING_ARGS) ? body.value() : NullNode.instance);
        }
        BindingArgs args = new BindingArgs(
                struct.text("PodName"), struct.text("PodNamespace"), struct.text("PodUID"), struct.text("Node"));
        required("PodName", args.podName());
        required("PodNamespace", args.podNamespace());
        required("Node", args.nodeName());
        return args;
    }

    private static void required(String field, String value) {
        if (value.isEmpty()) {
            throw new ObjectDecodeException(field + ": nothing (expected: a name)");
        }
    }
}
