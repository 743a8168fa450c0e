// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.PodSpec;
import org.moorage.objects.tree.Fields;

/**
 * The specifications of existing pods by controller, as they were written and as they were completed and decoded. The
 * pods of one template mostly differ in their node and in generated names, so the next one is completed already.
 */
final class TemplateSpecs {
    private static final int MOST = 1000;

    /** The most values and characters in a specification that is kept. */
    private static final int LARGEST = 1 << 14;

    private static final String AFFINITY = "affinity";
    /** The volume with the token of the service account, whose name ends with letters at random. */
    private static final String GENERATED_VOLUME = "kube-api-access-";

    /** The fields that no result depends on, or that are compared or decoded apart. */
    private static final List<String> OWN_FIELDS = List.of("nodeName", "hostname", AFFINITY);

    private final Map<String, Template> byController = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Template> eldest) {
            return size() > MOST;
        }
    };

    /**
     * A pod before admission completes it.
     *
     * @param controller identifies its controller
     * @param spec its specification
     * @param labels its labels
     */
    record Written(String controller, ObjectNode spec, JsonNode labels) {}

    private record Template(Written written, PodSpec completed) {}

    /** Returns a copy of what decides a pod's specification; empty if the pod has no controller or is large. */
    static Optional<Written> copyOf(ObjectNode pod) {
        if (!(pod.path("spec") instanceof ObjectNode spec)) {
            return Optional.empty();
        }
        String controller = controllerOf(pod);
        return controller.isEmpty() || size(spec, 0) > LARGEST
                ? Optional.empty()
                : Optional.of(new Written(
                        controller,
                        spec.deepCopy(),
                        pod.path("metadata").path("labels").deepCopy()));
    }

    /** Adds a pod that has been completed. */
    void add(Written written, PodSpec completed) {
        // The last one of a controller counts, during a rollout.
        byController.put(written.controller(), new Template(written, completed));
    }

    /** Returns the completed specification that a pod shares with an earlier one, except for the node affinity. */
    Optional<PodSpec> find(ObjectNode pod) {
        Template template = byController.get(controllerOf(pod));
        if (template == null || !(pod.path("spec") instanceof ObjectNode spec)) {
            return Optional.empty();
        }
        JsonNode labels = pod.path("metadata").path("labels");
        boolean isOne = areLabels(labels)
                && isSameSpec(template.written.spec, spec)
                && (!readsLabels(spec) || labels.equals(template.written.labels));
        return isOne ? Optional.of(template.completed) : Optional.empty();
    }

    private static String controllerOf(ObjectNode pod) {
        for (JsonNode owner : pod.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                return owner.path("uid").asText("") + "/" + owner.path("name").asText("");
            }
        }
        return "";
    }

    private static int size(JsonNode value, int before) {
        int size = before + 1 + (value.isTextual() ? value.textValue().length() : 0);
        for (JsonNode part : value) {
            if (size > LARGEST) {
                break;
            }
            size = size(part, size);
        }
        return size;
    }

    private static boolean areLabels(JsonNode labels) {
        return labels.isMissingNode() || labels.isObject();
    }

    // Admission adds labels of the pod to the selectors of these.
    private static boolean readsLabels(ObjectNode spec) {
        return !spec.path("topologySpreadConstraints").isEmpty() || hasPodTerms(spec.path(AFFINITY));
    }

    private static boolean hasPodTerms(JsonNode affinity) {
        return !Fields.isAbsent(affinity.path("podAffinity")) || !Fields.isAbsent(affinity.path("podAntiAffinity"));
    }

    private static boolean isSameSpec(ObjectNode spec, ObjectNode other) {
        JsonNode affinity = spec.path(AFFINITY);
        JsonNode otherAffinity = other.path(AFFINITY);
        if ((hasPodTerms(affinity) || hasPodTerms(otherAffinity)) && !affinity.equals(otherAffinity)) {
            return false;
        }
        return compared(spec) == compared(other) && haveSame(spec, other, OWN_FIELDS);
    }

    private static int compared(ObjectNode spec) {
        int fields = spec.size();
        for (String own : OWN_FIELDS) {
            fields -= spec.has(own) ? 1 : 0;
        }
        return fields;
    }

    private static boolean haveSame(ObjectNode object, ObjectNode other, List<String> except) {
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String name = field.getKey();
            if (!except.contains(name) && !isSame(name, field.getValue(), other.path(name))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(String name, JsonNode value, JsonNode other) {
        if (value instanceof ObjectNode object) {
            return other instanceof ObjectNode otherObject
                    && object.size() == otherObject.size()
                    && haveSame(object, otherObject, exceptIn(name, object, otherObject));
        }
        if (!(value instanceof ArrayNode)) {
            return value.equals(other);
        }
        if (!(other instanceof ArrayNode) || value.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < value.size(); i++) {
            if (!isSame(name, value.path(i), other.path(i))) {
                return false;
            }
        }
        return true;
    }

    // No result depends on such a name of an item of these lists.
    private static List<String> exceptIn(String list, ObjectNode item, ObjectNode other) {
        boolean isOfToken = list.equals("volumeMounts")
                || list.equals("volumes") && item.has("projected") && other.has("projected");
        return isOfToken && isGenerated(item.path("name")) && isGenerated(other.path("name"))
                ? List.of("name")
                : List.of();
    }

    private static boolean isGenerated(JsonNode volumeName) {
        return volumeName.asText("").startsWith(GENERATED_VOLUME);
    }
}
