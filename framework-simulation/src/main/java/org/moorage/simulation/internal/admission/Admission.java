// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.internal.Fields;
import org.moorage.objects.internal.ObjectKey;

/**
 * What an API server adds to objects on creation, apart from defaults: a uid to each object; to pods, the priority of their
 * PriorityClass, and selector requirements for {@code matchLabelKeys} and {@code mismatchLabelKeys}.
 */
public final class Admission {

    private static final String PREEMPT_LOWER_PRIORITY = "PreemptLowerPriority";

    /** The classes that the API server creates in every cluster. */
    private static final List<PriorityClass> SYSTEM_CLASSES = List.of(
            new PriorityClass("system-cluster-critical", 2_000_000_000, PREEMPT_LOWER_PRIORITY),
            new PriorityClass("system-node-critical", 2_000_001_000, PREEMPT_LOWER_PRIORITY));

    private static final PriorityClass NO_CLASS = new PriorityClass("", 0, PREEMPT_LOWER_PRIORITY);

    private record PriorityClass(String name, int value, String preemptionPolicy) {}

    private final Map<String, PriorityClass> classesByName = new TreeMap<>();
    private final boolean mergesSpread;
    private Optional<PriorityClass> globalDefault = Optional.empty();

    /** The admission of objects one by one: all of them {@link #seen}, and then, or at once if it can be, the pods admitted. */
    public Admission(FeatureGates features) {
        mergesSpread = features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD)
                && features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE);
        SYSTEM_CLASSES.forEach(system -> classesByName.put(system.name(), system));
    }

    /** As {@link #apply(List, FeatureGates)}, with the features that are on by default. */
    public static void apply(List<ObjectNode> objects) {
        apply(objects, FeatureGates.DEFAULTS);
    }

    /**
     * Completes the objects of a cluster, in place. What they already say is kept: a pod's priority, and a preemption
     * policy of its own, which the API server would refuse where it differs from its class's.
     *
     * <p>A missing uid is derived from the object's kind, namespace and name, so that it is the same in each run.
     *
     * @throws ClusterFileException if a pod's priority class is not among the objects, or a class is malformed
     */
    public static void apply(List<ObjectNode> objects, FeatureGates features) {
        Admission admission = new Admission(features);
        objects.forEach(admission::seen);
        objects.forEach(admission::admit);
    }

    /** Gives an object its uid, and takes note of it if pods depend on it. */
    public void seen(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        addUid(object, key);
        if (key.group().equals("scheduling.k8s.io") && key.kind().equals("PriorityClass")) {
            addClass(Fields.of(object), key.name());
        }
    }

    /** Whether admission of an object does not depend on others: that of a pod does, until it has its priority. */
    public static boolean isIndependent(ObjectNode object) {
        return !isPod(ObjectKey.of(object))
                || !Fields.isAbsent(object.path("spec").path("priority"));
    }

    /** Completes an object if it is a pod, with the classes that have been {@link #seen}. */
    public void admit(ObjectNode object) {
        if (isPod(ObjectKey.of(object))) {
            Fields pod = Fields.of(object);
            admitPod(pod.struct("spec"));
            ObjectNode labels = pod.struct("metadata").struct("labels").node();
            if (mergesSpread) {
                mergeLabelKeysOfSpread(pod.struct("spec"), labels);
            }
            mergeLabelKeysOfAffinity(pod.struct("spec"), labels);
        }
    }

    private static boolean isPod(ObjectKey key) {
        return key.group().isEmpty() && key.kind().equals("Pod");
    }

    private static void addUid(ObjectNode object, ObjectKey key) {
        if (!key.name().isEmpty()) {
            Fields.of(object).struct("metadata").whenBlank("uid", key.derivedUid());
        }
    }

    private void addClass(Fields fields, String name) {
        PriorityClass added = new PriorityClass(
                name,
                fields.number("value", 0),
                fields.node().path("preemptionPolicy").asText(PREEMPT_LOWER_PRIORITY));
        classesByName.put(name, added);
        boolean lowestDefault =
                globalDefault.map(other -> added.value() < other.value()).orElse(true);
        if (fields.node().path("globalDefault").asBoolean() && lowestDefault) {
            globalDefault = Optional.of(added);
        }
    }

    private void admitPod(Fields spec) {
        if (!spec.isAbsent("priority")) {
            return;
        }
        PriorityClass priorityClass = classOf(spec);
        if (!priorityClass.name().isEmpty()) {
            spec.node().put("priorityClassName", priorityClass.name());
        }
        spec.node().put("priority", priorityClass.value());
        spec.whenAbsent("preemptionPolicy", priorityClass.preemptionPolicy());
    }

    // The keys name labels of the pod. kube-scheduler reads only the selectors that they are merged into.
    private static void mergeLabelKeysOfSpread(Fields spec, ObjectNode labels) {
        for (Fields constraint : spec.each("topologySpreadConstraints")) {
            merge(constraint, "matchLabelKeys", "In", labels);
        }
    }

    private static void mergeLabelKeysOfAffinity(Fields spec, ObjectNode labels) {
        spec.pointer("affinity").ifPresent(affinity -> {
            affinity.pointer("podAffinity").ifPresent(terms -> mergeLabelKeysOfTerms(terms, labels));
            affinity.pointer("podAntiAffinity").ifPresent(terms -> mergeLabelKeysOfTerms(terms, labels));
        });
    }

    private static void mergeLabelKeysOfTerms(Fields podAffinity, ObjectNode labels) {
        List<Fields> terms = new ArrayList<>(podAffinity.each("requiredDuringSchedulingIgnoredDuringExecution"));
        for (Fields preferred : podAffinity.each("preferredDuringSchedulingIgnoredDuringExecution")) {
            terms.add(preferred.struct("podAffinityTerm"));
        }
        for (Fields term : terms) {
            merge(term, "matchLabelKeys", "In", labels);
            merge(term, "mismatchLabelKeys", "NotIn", labels);
        }
    }

    private static void merge(Fields term, String keys, String operator, ObjectNode labels) {
        Optional<Fields> selector = term.pointer("labelSelector");
        if (selector.isEmpty()) {
            return;
        }
        for (JsonNode key : term.node().path(keys)) {
            JsonNode value = labels.path(key.asText());
            if (!Fields.isAbsent(value)) {
                ObjectNode requirement = JsonNodeFactory.instance.objectNode();
                requirement
                        .put("key", key.asText())
                        .put("operator", operator)
                        .putArray("values")
                        .add(value);
                ArrayNode requirements = selector.get().list("matchExpressions");
                // A pod of a running cluster already has it.
                if (!contains(requirements, requirement)) {
                    requirements.add(requirement);
                }
            }
        }
    }

    private static boolean contains(ArrayNode list, ObjectNode wanted) {
        for (JsonNode item : list) {
            if (item.equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    private PriorityClass classOf(Fields spec) {
        if (spec.isBlank("priorityClassName")) {
            return globalDefault.orElse(NO_CLASS);
        }
        JsonNode name = spec.node().path("priorityClassName");
        PriorityClass found = classesByName.get(name.asText());
        if (found == null) {
            throw spec.wrong(
                    "priorityClassName",
                    name,
                    "the name of a PriorityClass among the objects: " + String.join(", ", classesByName.keySet()));
        }
        return found;
    }
}
