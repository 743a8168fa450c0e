// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Container;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.Volume;

/**
 * Writes objects as JSON for policies. Uses the API server's text if it was kept, as it is for pods and nodes;
 * otherwise writes the fields that scheduling reads, in the same form.
 */
final class ObjectText {
    private static final JsonMapper JSON = new JsonMapper();

    private ObjectText() {}

    static String of(ClusterObject object) {
        if (object instanceof Pod pod) {
            return pod.json().map(text -> withNode(pod, text)).orElseGet(() -> pod(pod).toString());
        }
        if (object instanceof Node node) {
            return node.json().orElseGet(() -> node(node).toString());
        }
        ObjectNode tree = JSON.createObjectNode();
        tree.set("metadata", metadata(object.metadata()));
        ObjectNode spec = tree.putObject("spec");
        if (object instanceof Service service) {
            texts(spec.putObject("selector"), service.selector());
        } else if (object instanceof ReplicationController controller) {
            texts(spec.putObject("selector"), controller.selector());
        } else if (object instanceof ReplicaSet set) {
            set.selector().ifPresent(selector -> selector(spec, selector));
        } else if (object instanceof StatefulSet set) {
            set.selector().ifPresent(selector -> selector(spec, selector));
        } else if (object instanceof PersistentVolume volume) {
            spec.put("storageClassName", volume.storageClassName());
            strings(spec.putArray("accessModes"), volume.accessModes());
            volume.claim()
                    .ifPresent(claim -> spec.putObject("claimRef")
                            .put("namespace", claim.namespace())
                            .put("name", claim.name())
                            .put("uid", claim.uid()));
        } else if (object instanceof PersistentVolumeClaim claim) {
            spec.put("storageClassName", claim.storageClassName()).put("volumeName", claim.volumeName());
            strings(spec.putArray("accessModes"), claim.accessModes());
        }
        return tree.toString();
    }

    // The text may predate the assignment of the pod to a node, so it may lack the node's name.
    private static String withNode(Pod pod, String text) {
        if (!pod.isBound()) {
            return text;
        }
        try {
            ObjectNode tree = (ObjectNode) JSON.readTree(text);
            if (tree.path("spec").path("nodeName").asText().equals(pod.nodeName())) {
                return text;
            }
            tree.withObject("/spec").put("nodeName", pod.nodeName());
            return tree.toString();
        } catch (JsonProcessingException broken) {
            throw new PolicyException(
                    "pod " + pod.key() + ": its text is not JSON: " + broken.getOriginalMessage(), broken);
        }
    }

    private static ObjectNode metadata(ObjectMeta metadata) {
        ObjectNode tree = JSON.createObjectNode().put("name", metadata.name());
        if (!metadata.namespace().isEmpty()) {
            tree.put("namespace", metadata.namespace());
        }
        tree.put("uid", metadata.uid());
        texts(tree.putObject("labels"), metadata.labels());
        texts(tree.putObject("annotations"), metadata.annotations());
        return tree;
    }

    private static ObjectNode node(Node node) {
        ObjectNode tree = JSON.createObjectNode();
        tree.set("metadata", metadata(node.metadata()));
        ObjectNode spec = tree.putObject("spec");
        if (node.unschedulable()) {
            spec.put("unschedulable", true);
        }
        ArrayNode taints = spec.putArray("taints");
        for (Taint taint : node.taints()) {
            taints.addObject()
                    .put("key", taint.key())
                    .put("value", taint.value())
                    .put("effect", taint.effect());
        }
        ObjectNode status = tree.putObject("status");
        quantities(status.putObject("allocatable"), node.allocatable());
        ArrayNode conditions = status.putArray("conditions");
        node.conditions()
                .forEach((type, value) ->
                        conditions.addObject().put("type", type).put("status", value));
        return tree;
    }

    private static ObjectNode pod(Pod pod) {
        ObjectNode tree = JSON.createObjectNode();
        tree.set("metadata", metadata(pod.metadata()));
        ObjectNode spec = tree.putObject("spec").put("schedulerName", pod.spec().schedulerName());
        if (pod.isBound()) {
            spec.put("nodeName", pod.nodeName());
        }
        spec.put("priority", pod.spec().priority());
        texts(spec.putObject("nodeSelector"), pod.spec().nodeSelector());
        ArrayNode tolerations = spec.putArray("tolerations");
        for (Toleration toleration : pod.spec().tolerations()) {
            tolerations
                    .addObject()
                    .put("key", toleration.key())
                    .put("operator", toleration.operator())
                    .put("value", toleration.value())
                    .put("effect", toleration.effect());
        }
        ArrayNode containers = spec.putArray("containers");
        for (Container container : pod.spec().containers()) {
            container(containers.addObject(), container);
        }
        ArrayNode volumes = spec.putArray("volumes");
        for (Volume volume : pod.spec().volumes()) {
            ObjectNode entry = volumes.addObject().put("name", volume.name());
            if (volume.source() instanceof Volume.Claim claim) {
                entry.putObject("persistentVolumeClaim").put("claimName", claim.claimName());
            }
        }
        return tree;
    }

    private static void container(ObjectNode tree, Container container) {
        tree.put("name", container.name()).put("image", container.image());
        quantities(tree.putObject("resources").putObject("requests"), container.requests());
        ArrayNode ports = tree.putArray("ports");
        for (HostPort port : container.hostPorts()) {
            ports.addObject()
                    .put("hostPort", port.port())
                    .put("hostIP", port.ip())
                    .put("protocol", port.protocol());
        }
    }

    private static void selector(ObjectNode spec, LabelSelector selector) {
        ObjectNode tree = spec.putObject("selector");
        texts(tree.putObject("matchLabels"), selector.matchLabels());
        ArrayNode expressions = tree.putArray("matchExpressions");
        for (LabelSelector.Requirement expression : selector.matchExpressions()) {
            ObjectNode entry =
                    expressions.addObject().put("key", expression.key()).put("operator", expression.operator());
            strings(entry.putArray("values"), expression.values());
        }
    }

    private static void strings(ArrayNode tree, Iterable<String> values) {
        values.forEach(tree::add);
    }

    private static void texts(ObjectNode tree, Map<String, String> values) {
        values.forEach(tree::put);
    }

    private static void quantities(ObjectNode tree, Map<String, Quantity> values) {
        values.forEach((name, quantity) -> tree.put(name, quantity.toString()));
    }
}
