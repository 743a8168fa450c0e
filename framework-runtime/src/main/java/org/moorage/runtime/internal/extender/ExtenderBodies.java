// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Extender;
import org.moorage.objects.tree.ObjectStreams;

/**
 * Writes the bodies of requests as kube-scheduler does, whose Go structs have no JSON names for their fields: keys are
 * capitalised, and absent values are null. Pods and nodes are written as the API server has sent them.
 */
final class ExtenderBodies {
    private static final JsonMapper JSON = new JsonMapper();

    private ExtenderBodies() {}

    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns {@code ExtenderArgs}, for filter and prioritize. */
    static byte[] args(Pod pod, List<NodeInfo> nodes, boolean namesOnly) {
        return object(json -> {
            json.writeFieldName("Pod");
            write(json, pod);
            if (namesOnly) {
                json.writeNullField("Nodes");
                json.writeArrayFieldStart("NodeNames");
                for (NodeInfo node : nodes) {
                    json.writeString(node.name());
                }
                json.writeEndArray();
            } else {
                json.writeObjectFieldStart("Nodes");
                json.writeObjectFieldStart("metadata");
                json.writeEndObject();
                json.writeArrayFieldStart("items");
                for (NodeInfo node : nodes) {
                    json.writeRawValue(text(node.node()));
                }
                json.writeEndArray();
                json.writeEndObject();
                json.writeNullField("NodeNames");
            }
        });
    }

    /** Returns {@code ExtenderPreemptionArgs}. */
    static byte[] preemptionArgs(Pod pod, Map<String, Extender.Victims> victimsByNode, boolean identifiersOnly) {
        return object(json -> {
            json.writeFieldName("Pod");
            write(json, pod);
            if (identifiersOnly) {
                json.writeNullField("NodeNameToVictims");
            }
            json.writeObjectFieldStart(identifiersOnly ? "NodeNameToMetaVictims" : "NodeNameToVictims");
            for (Map.Entry<String, Extender.Victims> victims : new TreeMap<>(victimsByNode).entrySet()) {
                json.writeObjectFieldStart(victims.getKey());
                json.writeArrayFieldStart("Pods");
                for (Pod victim : victims.getValue().pods()) {
                    if (identifiersOnly) {
                        json.writeStartObject();
                        json.writeStringField("UID", victim.uid());
                        json.writeEndObject();
                    } else {
                        write(json, victim);
                    }
                }
                json.writeEndArray();
                json.writeNumberField("NumPDBViolations", victims.getValue().pdbViolations());
                json.writeEndObject();
            }
            json.writeEndObject();
            if (!identifiersOnly) {
                json.writeNullField("NodeNameToMetaVictims");
            }
        });
    }

    /** Returns {@code ExtenderBindingArgs}. */
    static byte[] bindingArgs(Pod pod, String nodeName) {
        return object(json -> {
            json.writeStringField("PodName", pod.name());
            json.writeStringField("PodNamespace", pod.namespace());
            json.writeStringField("PodUID", pod.uid());
            json.writeStringField("Node", nodeName);
        });
    }

    private static byte[] object(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    // The JSON is that of the object as last seen, except for the node and the nominated node, which are those of this
    // pod.
    private static void write(JsonGenerator json, Pod pod) throws IOException {
        ObjectNode tree = ObjectStreams.object(pod.json()
                .orElseThrow(() -> new ExtenderException("pod " + pod.key()
                        + ": no JSON text (expected: the cluster gives it, since an extender is sent the pod)")));
        tree.remove(List.of("apiVersion", "kind"));
        if (pod.isBound()) {
            tree.withObject("/spec").put("nodeName", pod.nodeName());
        }
        if (!pod.status().nominatedNodeName().isEmpty()) {
            tree.withObject("/status").put("nominatedNodeName", pod.status().nominatedNodeName());
        } else if (tree.path("status") instanceof ObjectNode status) {
            status.remove("nominatedNodeName");
        }
        JSON.writeTree(json, tree);
    }

    private static String text(Node node) {
        return node.json()
                .orElseThrow(() -> new ExtenderException("node " + node.name()
                        + ": no JSON text (expected: the cluster gives it, since an extender is sent the node)"));
    }
}
