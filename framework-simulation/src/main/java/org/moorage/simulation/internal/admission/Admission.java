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
 * What an API server adds to objects on creation, apart from defaults: a uid to each object; to pods and groups of pods, the priority of
 * their PriorityClass; to pods, selector requirements for {@code matchLabelKeys} and {@code mismatchLabelKeys}. It takes away what belongs to
 * features of groups that are off.
 */
public final class Admission {

    private static final String PREEMPT_LOWER_PRIORITY = "PreemptLowerPriority";
    private static final String NEVER = "Never";
    private static final String SCHEDULING = "scheduling.k8s.io";
    private static final String POD_GROUP = "PodGroup";
    private static final String COMPOSITE_POD_GROUP = "CompositePodGroup";
    private static final String PRIORITY = "priority";
    private static final String PRIORITY_CLASS = "priorityClassName";
    private static final String PREEMPTION_POLICY = "preemptionPolicy";

    /** The classes that the API server creates in every cluster. */
    private static final List<PriorityClass> SYSTEM_CLASSES = List.of(
            new PriorityClass("system-cluster-critical", 2_000_000_000, PREEMPT_LOWER_PRIORITY),
            new PriorityClass("system-node-critical", 2_000_001_000, PREEMPT_LOWER_PRIORITY));

    private static final PriorityClass NO_CLASS = new PriorityClass("", 0, PREEMPT_LOWER_PRIORITY);

    private record PriorityClass(String name, int value, String preemptionPolicy) {}

    private final Map<String, PriorityClass> classesByName = new TreeMap<>();
    private final FeatureGates features;
    private final boolean mergesSpread;
    private Optional<PriorityClass> globalDefault = Optional.empty();

    /** The admission of objects one by one: all of them {@link #seen}, and then, or at once if it can be, the pods admitted. */
    public Admission(FeatureGates features) {
        this.features = features;
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
     * policy of its own, which the API server would refuse where it differs from its class's; so is a group's, unless it is new and
     * names a class that says otherwise.
     *
     * <p>A missing uid is derived from the object's kind, namespace and name, so that it is the same in each run.
     *
     * @throws ClusterFileException if the priority class of a pod or group is not among the objects or says otherwise, or a class is malformed
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
        if (key.group().equals(SCHEDULING) && key.kind().equals("PriorityClass")) {
            addClass(Fields.of(object), key.name());
        }
    }

    /** Whether admission of an object does not depend on others: that of a pod or group does, until it has its priority. */
    public static boolean isIndependent(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (isPod(key)) {
            return !Fields.isAbsent(object.path("spec").path(PRIORITY));
        }
        return !isGroup(key) || hasPriority(object);
    }

    /** Completes an object if it is a pod or a group of pods, with the classes that have been {@link #seen}. */
    public void admit(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (isGroup(key) && features.isEnabled(gateOf(key))) {
            dropDisabled(object, key);
            if (!hasPriority(object)) {
                admitGroup(Fields.of(object).struct("spec"), key);
            }
        } else if (isPod(key)) {
            Fields pod = Fields.of(object);
            if (!features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
                pod.struct("spec").node().remove("schedulingGroup");
            }
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

    private static boolean isGroup(ObjectKey key) {
        return key.group().equals(SCHEDULING)
                && (key.kind().equals(POD_GROUP) || key.kind().equals(COMPOSITE_POD_GROUP));
    }

    private static String gateOf(ObjectKey group) {
        return group.kind().equals(POD_GROUP) ? FeatureGates.GENERIC_WORKLOAD : FeatureGates.COMPOSITE_POD_GROUP;
    }

    // One that a server has admitted, or that says its priority and no class: it is taken for what it says.
    private static boolean hasPriority(ObjectNode group) {
        return !Fields.isAbsent(group.path("spec").path(PRIORITY))
                && (!Fields.isAbsent(group.path("metadata").path("creationTimestamp"))
                        || group.path("spec").path(PRIORITY_CLASS).asText("").isEmpty());
    }

    private void dropDisabled(ObjectNode group, ObjectKey key) {
        drop(group, "spec", PREEMPTION_POLICY, FeatureGates.POD_GROUP_PREEMPTION_POLICY);
        if (key.kind().equals(POD_GROUP)) {
            drop(group, "spec", "schedulingConstraints", FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING);
            drop(group, "spec", "resourceClaims", FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS);
            drop(group, "status", "resourceClaimStatuses", FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS);
            drop(group, "spec", "parentCompositePodGroupName", FeatureGates.COMPOSITE_POD_GROUP);
        }
    }

    private void drop(ObjectNode object, String part, String field, String feature) {
        if (!features.isEnabled(feature) && object.path(part) instanceof ObjectNode fields) {
            fields.remove(field);
        }
    }

    private void admitGroup(Fields spec, ObjectKey key) {
        boolean namesClass = !spec.isBlank(PRIORITY_CLASS);
        PriorityClass priorityClass = classOf(spec);
        String what = key.kind().equals(POD_GROUP) ? "pod group" : "composite pod group";
        int priority = spec.number(PRIORITY, priorityClass.value());
        if (priority != priorityClass.value()) {
            throw new ClusterFileException(key.title() + ": priority set in the " + what + " (" + priority
                    + ") must match the priority computed (" + priorityClass.value()
                    + ") based on the priority class set in the spec");
        }
        if (!priorityClass.name().isEmpty()) {
            spec.node().put(PRIORITY_CLASS, priorityClass.name());
        }
        spec.node().put(PRIORITY, priority);
        if (features.isEnabled(FeatureGates.POD_GROUP_PREEMPTION_POLICY)) {
            admitPreemptionPolicy(spec, priorityClass.preemptionPolicy(), namesClass, key.title(), what);
        }
    }

    private static void admitPreemptionPolicy(
            Fields spec, String ofClass, boolean namesClass, String title, String what) {
        if (!ofClass.equals(PREEMPT_LOWER_PRIORITY) && !ofClass.equals(NEVER)) {
            throw new ClusterFileException(title + ": preemptionPolicy set in the PriorityClass object (" + ofClass
                    + ") must match one of the allowed values of PreemptionPolicy type in " + what);
        }
        String own = spec.node().path(PREEMPTION_POLICY).asText(ofClass);
        if (namesClass && !own.equals(ofClass)) {
            throw new ClusterFileException(title + ": the string value of PreemptionPolicy (" + own
                    + ") must not be provided in " + what + " spec; priority admission controller computed " + ofClass
                    + " from the given PriorityClass name");
        }
        spec.whenAbsent(PREEMPTION_POLICY, ofClass);
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
                fields.node().path(PREEMPTION_POLICY).asText(PREEMPT_LOWER_PRIORITY));
        classesByName.put(name, added);
        boolean lowestDefault =
                globalDefault.map(other -> added.value() < other.value()).orElse(true);
        if (fields.node().path("globalDefault").asBoolean() && lowestDefault) {
            globalDefault = Optional.of(added);
        }
    }

    private void admitPod(Fields spec) {
        if (!spec.isAbsent(PRIORITY)) {
            return;
        }
        PriorityClass priorityClass = classOf(spec);
        if (!priorityClass.name().isEmpty()) {
            spec.node().put(PRIORITY_CLASS, priorityClass.name());
        }
        spec.node().put(PRIORITY, priorityClass.value());
        spec.whenAbsent(PREEMPTION_POLICY, priorityClass.preemptionPolicy());
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
        if (spec.isBlank(PRIORITY_CLASS)) {
            return globalDefault.orElse(NO_CLASS);
        }
        JsonNode name = spec.node().path(PRIORITY_CLASS);
        PriorityClass found = classesByName.get(name.asText());
        if (found == null) {
            throw spec.wrong(
                    PRIORITY_CLASS,
                    name,
                    "the name of a PriorityClass among the objects: " + String.join(", ", classesByName.keySet()));
        }
        return found;
    }
}
