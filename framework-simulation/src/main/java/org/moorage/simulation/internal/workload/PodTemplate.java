// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.simulation.internal.admission.Defaulting;

/** The pod template of a workload. */
final class PodTemplate {
    private static final int LONGEST_PREFIX = 253;

    private final ObjectNode owner;
    private final ObjectKey ownerKey;
    private final Fields fields;
    private final TreeDecoder decoder = new TreeDecoder();

    private PodTemplate(ObjectNode owner, Fields fields) {
        this.owner = owner;
        this.ownerKey = ObjectKey.of(owner);
        this.fields = fields;
    }

    /**
     * The template of a workload.
     *
     * @throws org.moorage.objects.ClusterFileException if it has none
     */
    static PodTemplate of(ObjectNode workload) {
        Fields spec = specOf(workload);
        Fields template = spec.pointer("template")
                .orElseThrow(() -> spec.wrong("template", spec.node().path("template"), "a template of a pod"));
        return new PodTemplate(workload, template);
    }

    /** The spec of a workload. */
    static Fields specOf(ObjectNode workload) {
        Fields root = Fields.of(workload);
        return root.pointer("spec").orElseThrow(() -> root.wrong("spec", workload.path("spec"), "an object"));
    }

    /**
     * Returns whether the API server accepts the selector of the workload, which must select the pods of the template.
     */
    boolean isSelected() {
        // Deployments, stateful sets and daemon sets have it where replica sets have it.
        return decoder.decode(ObjectKind.REPLICA_SET, owner, KeptJson.NONE)
                .selector()
                .map(this::isSelectedBy)
                .orElse(false);
    }

    private boolean isSelectedBy(LabelSelector selector) {
        Map<String, String> labels = decoder.decode(ObjectKind.REPLICA_SET, fields.node(), KeptJson.NONE)
                .metadata()
                .labels();
        return !selector.isEmpty() && selector.matches(labels);
    }

    /** The template's tree. */
    ObjectNode node() {
        return fields.node();
    }

    /**
     * Returns whether another template makes the same pods. An API server may have completed the other template, so
     * fields that this one omits are compared only where scheduling reads them.
     *
     * @param label a label that a controller has added to the other template
     * @param isPruned whether the other one has only the fields that a dump keeps; fields that it lacks may then be
     *     equal
     */
    boolean makesPodsOf(PodTemplate other, String label, boolean isPruned) {
        JsonNode theirs = other.withoutLabel(label);
        JsonNode ours = withoutLabel(label);
        return ours.equals(theirs)
                || isIn(ours, theirs, isPruned) && other.modelled(label).equals(modelled(label));
    }

    private JsonNode withoutLabel(String label) {
        ObjectNode copy = fields.node().deepCopy();
        if (copy.path("metadata") instanceof ObjectNode metadata) {
            // Clients write this field even if it is not set.
            metadata.remove("creationTimestamp");
            if (metadata.path("labels") instanceof ObjectNode labels) {
                labels.remove(label);
            }
        }
        return copy;
    }

    /**
     * Returns whether the template is from a dump that keeps only the fields that scheduling reads. Call it before
     * defaults are set: an API server adds the pull policy to each container.
     */
    boolean isPruned() {
        JsonNode container = fields.node().path("spec").path("containers").path(0);
        return container.has("image") && !container.has("imagePullPolicy");
    }

    private static boolean isIn(JsonNode ours, JsonNode theirs, boolean isPruned) {
        if (Fields.isAbsent(ours) || ours.isEmpty() && ours.isContainerNode() && Fields.isAbsent(theirs)) {
            return true;
        }
        if (ours.isObject()) {
            for (Map.Entry<String, JsonNode> field : ours.properties()) {
                boolean isCompared = !isPruned || theirs.has(field.getKey());
                if (isCompared && !isIn(field.getValue(), theirs.path(field.getKey()), isPruned)) {
                    return false;
                }
            }
            return true;
        }
        if (ours.isArray()) {
            boolean isSame = theirs.isArray() && ours.size() == theirs.size();
            for (int i = 0; isSame && i < ours.size(); i++) {
                isSame = isIn(ours.path(i), theirs.path(i), isPruned);
            }
            return isSame;
        }
        return theirs.isValueNode() && (ours.asText().equals(theirs.asText()) || areSameQuantity(ours, theirs));
    }

    private static boolean areSameQuantity(JsonNode ours, JsonNode theirs) {
        try {
            return Fields.quantity(ours).compareTo(Fields.quantity(theirs)) == 0;
        } catch (IllegalArgumentException notQuantities) {
            return false;
        }
    }

    // Returns the specification that scheduling reads, and the labels.
    private List<Object> modelled(String label) {
        ObjectNode tree = pod("x", "x");
        tree.withObject("/metadata/labels").remove(label);
        Defaulting.apply(tree);
        Pod pod = decoder.pod(tree, KeptJson.NONE);
        return List.of(pod.spec(), pod.labels());
    }

    /** Returns a hash of the template, as controllers use it in labels and names. */
    String hash() {
        return GeneratedNames.hash(fields.node().toString());
    }

    /** Returns the prefix of the names of the workload's pods. */
    String prefix() {
        String dashed = ownerKey.name() + "-";
        return dashed.length() > LONGEST_PREFIX ? ownerKey.name() : dashed;
    }

    /**
     * A pod of the template, owned by the workload.
     *
     * @param generateName what its name starts with
     * @param name its name
     */
    ObjectNode pod(String generateName, String name) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("generateName", generateName).put("name", name).put("namespace", ownerKey.namespace());
        metadata.putObject("labels");
        for (String field : List.of("labels", "annotations", "finalizers")) {
            JsonNode value = fields.node().path("metadata").path(field);
            if (!Fields.isAbsent(value)) {
                metadata.set(field, value.deepCopy());
            }
        }
        OwnerReferences.addController(metadata, owner);
        pod.set("spec", fields.struct("spec").node().deepCopy());
        return pod;
    }
}
