// SPDX-License-Identifier: Apache-2.0
package org.moorage.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Node;

/** Writes responses to schedulers, with capitalized keys as in Go. */
final class ExtenderReply {
    private static final JsonMapper JSON = new JsonMapper();
    private static final byte[] OPENING = bytes("{\"Nodes\":");
    private static final byte[] NULL = bytes("null");
    private static final byte[] NODES = bytes("{\"metadata\":{},\"items\":[");
    private static final byte[] COMMA = bytes(",");
    private static final byte[] NODES_END = bytes("]}");

    private ExtenderReply() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private interface Value {
        void write(JsonGenerator json) throws IOException;
    }

    /**
     * Returns an {@code ExtenderFilterResult}, with nodes in the form in which they were received.
     *
     * @param rejections the statuses of the rejected nodes
     * @return the parts of the response, in order
     */
    public static List<byte[]> filter(ExtenderRequest.Args args, Map<String, Status> rejections) {
        List<byte[]> parts = new ArrayList<>();
        parts.add(OPENING);
        args.nodes().ifPresentOrElse(nodes -> addNodes(parts, nodes, args.texts(), rejections), () -> parts.add(NULL));
        byte[] rest = write(json -> {
            json.writeStartObject();
            json.writeFieldName("NodeNames");
            if (args.names().isPresent()) {
                json.writeStartArray();
                for (String name : args.names().get()) {
                    if (!rejections.containsKey(name)) {
                        json.writeString(name);
                    }
                }
                json.writeEndArray();
            } else {
                json.writeNull();
            }
            failed(json, "FailedNodes", rejections, false);
            failed(json, "FailedAndUnresolvableNodes", rejections, true);
            json.writeStringField("Error", "");
            json.writeEndObject();
        });
        rest[0] = ',';
        parts.add(rest);
        return parts;
    }

    private static void addNodes(
            List<byte[]> parts, List<Node> nodes, List<byte[]> texts, Map<String, Status> rejections) {
        byte[] before = NODES;
        for (int i = 0; i < nodes.size(); i++) {
            if (!rejections.containsKey(nodes.get(i).name())) {
                parts.add(before);
                parts.add(texts.get(i));
                before = COMMA;
            }
        }
        if (before == NODES) {
            parts.add(NODES);
        }
        parts.add(NODES_END);
    }

    private static void failed(JsonGenerator json, String field, Map<String, Status> rejections, boolean unresolvable)
            throws IOException {
        json.writeObjectFieldStart(field);
        for (Map.Entry<String, Status> rejection : rejections.entrySet()) {
            Status status = rejection.getValue();
            if ((status.code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) == unresolvable) {
                json.writeStringField(rejection.getKey(), status.message());
            }
        }
        json.writeEndObject();
    }

    /** Returns an {@code ExtenderFilterResult} for a failure. */
    public static byte[] filterFailure(String message) {
        return write(json -> {
            json.writeStartObject();
            for (String field : List.of("Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes")) {
                json.writeNullField(field);
            }
            json.writeStringField("Error", message);
            json.writeEndObject();
        });
    }

    /** Returns a {@code HostPriorityList}. */
    public static byte[] prioritize(Map<String, Long> scoreByNode) {
        return write(json -> {
            json.writeStartArray();
            for (Map.Entry<String, Long> score : scoreByNode.entrySet()) {
                json.writeStartObject();
                json.writeStringField("Host", score.getKey());
                json.writeNumberField("Score", score.getValue());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    /**
     * Returns an {@code ExtenderPreemptionResult}.
     *
     * @param fitting the candidates that remain, with their victims; all of them if empty
     */
    public static byte[] preemption(ExtenderRequest.PreemptionArgs args, Optional<Set<String>> fitting) {
        return write(json -> {
            json.writeStartObject();
            json.writeObjectFieldStart("NodeNameToMetaVictims");
            for (Map.Entry<String, ExtenderRequest.Victims> entry :
                    args.victimsByNode().entrySet()) {
                if (fitting.isPresent() && !fitting.get().contains(entry.getKey())) {
                    continue;
                }
                json.writeObjectFieldStart(entry.getKey());
                json.writeArrayFieldStart("Pods");
                for (String uid : entry.getValue().uids()) {
                    json.writeStartObject();
                    json.writeStringField("UID", uid);
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeNumberField("NumPDBViolations", entry.getValue().pdbViolations());
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeEndObject();
        });
    }

    /** Returns a response with only {@code Error}: {@code ExtenderBindingResult}, and the body of an HTTP error. */
    public static byte[] error(String message) {
        return write(json -> {
            json.writeStartObject();
            json.writeStringField("Error", message);
            json.writeEndObject();
        });
    }

    private static byte[] write(Value value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            value.write(json);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }
}
