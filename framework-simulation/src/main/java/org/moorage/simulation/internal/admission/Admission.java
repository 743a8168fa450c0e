// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.simulation.internal.admission.LimitRanges.LimitRange;
import org.moorage.simulation.internal.admission.PriorityClasses.PriorityClass;
import org.moorage.simulation.internal.admission.RuntimeClasses.RuntimeClass;

/**
 * The admission of created objects as by kube-apiserver v1.37 with its default admission plugins, for the fields that
 * scheduling reads of pods, volume claims and pod groups. Existing objects, such as those of a dump, are only
 * {@linkplain #complete completed}.
 *
 * <p>Safe for use by several threads.
 */
public final class Admission {
    private static final String NEVER = "Never";
    private static final String SCHEDULING = "scheduling.k8s.io";
    private static final String POD_GROUP = "PodGroup";
    private static final String COMPOSITE_POD_GROUP = "CompositePodGroup";
    private static final String PRIORITY = "priority";
    private static final String PRIORITY_CLASS = "priorityClassName";
    private static final String PREEMPTION_POLICY = "preemptionPolicy";
    private static final String TERMINATING = "Terminating";

    /** Fields of the metadata that the API server sets itself; values in a new object are ignored. */
    private static final List<String> SET_BY_SERVER = List.of(
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "resourceVersion",
            "generation",
            "managedFields",
            "selfLink");

    /** The API groups of workloads. */
    private static final Set<String> WORKLOADS = Set.of("apps", "batch");

    private final FeatureGates features;
    private final boolean mergesSpread;
    private final PodValidation podValidation;
    private final ObjectValidation objectValidation;
    private final PriorityClasses priorityClasses = new PriorityClasses();
    private final LimitRanges limitRanges;
    private final RuntimeClasses runtimeClasses = new RuntimeClasses();
    private final StorageClasses storageClasses = new StorageClasses();
    private final Set<String> terminatingNamespaces = ConcurrentHashMap.newKeySet();
    private final AtomicLong generatedNames = new AtomicLong();

    /** Creates the admission of a cluster without objects; {@link #seen} adds them. */
    public Admission(FeatureGates features) {
        this(features, true);
    }

    /**
     * As {@link #Admission(FeatureGates)}.
     *
     * @param isStrict whether pods must also have fields that scheduling does not need and that simplified cluster
     *     files omit: containers, images, and limits of extended resources
     */
    public Admission(FeatureGates features, boolean isStrict) {
        this.features = features;
        mergesSpread = features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD)
                && features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE);
        podValidation = new PodValidation(features, isStrict);
        objectValidation = new ObjectValidation(features, podValidation);
        limitRanges = new LimitRanges(features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES));
    }

    /**
     * Returns whether an object has not been created yet: a pod, a volume claim or a workload without any field that
     * only a server, a controller or a scheduler writes.
     */
    public static boolean isNew(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        JsonNode metadata = object.path("metadata");
        JsonNode spec = object.path("spec");
        return (key.isPod() || key.isPersistentVolumeClaim() || isWorkload(key))
                && isBlank(metadata.path("uid"))
                && isBlank(metadata.path("resourceVersion"))
                && isBlank(metadata.path("creationTimestamp"))
                && isBlank(metadata.path("deletionTimestamp"))
                && isBlank(spec.path("nodeName"))
                && isBlank(spec.path("volumeName"))
                && Fields.isAbsent(spec.path(PRIORITY))
                && object.path("status").isEmpty();
    }

    private static boolean isWorkload(ObjectKey key) {
        return WORKLOADS.contains(key.group())
                || key.group().isEmpty() && key.kind().equals("ReplicationController");
    }

    private static boolean isBlank(JsonNode text) {
        return text.asText("").isEmpty();
    }

    /**
     * Adds or replaces an object if admission reads it.
     *
     * @throws ClusterFileException if it has a shape that the API server would refuse
     */
    public void seen(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        switch (key.group() + "/" + key.kind()) {
            case "scheduling.k8s.io/PriorityClass" -> priorityClasses.seen(Fields.of(object), key.name());
            case "/LimitRange" -> {
                ObjectNode completed = object.deepCopy();
                Defaulting.apply(completed, features);
                limitRanges.seen(Fields.of(completed), key);
            }
            case "node.k8s.io/RuntimeClass" -> runtimeClasses.seen(Fields.of(object), key.name());
            case "storage.k8s.io/StorageClass" -> storageClasses.seen(object, key.name());
            case "/Namespace" -> {
                if (object.path("status").path("phase").asText("").equals(TERMINATING)) {
                    terminatingNamespaces.add(key.name());
                } else {
                    terminatingNamespaces.remove(key.name());
                }
            }
            default -> {}
        }
    }

    /** Removes an object. */
    public void gone(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        switch (key.group() + "/" + key.kind()) {
            case "scheduling.k8s.io/PriorityClass" -> priorityClasses.gone(key.name());
            case "/LimitRange" -> limitRanges.gone(key);
            case "node.k8s.io/RuntimeClass" -> runtimeClasses.gone(key.name());
            case "storage.k8s.io/StorageClass" -> storageClasses.gone(key.name());
            case "/Namespace" -> terminatingNamespaces.remove(key.name());
            default -> {}
        }
    }

    /** Sets a missing uid, which is derived from the kind, namespace and name, so that it is the same in each run. */
    public static void addUid(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (!key.name().isEmpty()) {
            Fields metadata = Fields.of(object).struct("metadata");
            if (metadata.isBlank("uid")) {
                metadata.node().put("uid", key.derivedUid());
            }
        }
    }

    /**
     * Returns whether an object that is not {@linkplain #isNew new} can be completed without other objects; a pod or
     * group without a priority cannot.
     */
    public static boolean isIndependent(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isPod()) {
            return !Fields.isAbsent(object.path("spec").path(PRIORITY));
        }
        return !key.isPersistentVolumeClaim() && (!isGroup(key) || hasPriority(object));
    }

    /**
     * Checks that the priority class is among the objects that a pod or group needs.
     *
     * @throws ClusterFileException if it is not
     */
    public void requirePriorityClass(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        boolean needsPriority =
                key.isPod() && Fields.isAbsent(object.path("spec").path(PRIORITY))
                        || isGroup(key) && features.isEnabled(gateOf(key)) && !hasPriority(object);
        if (!needsPriority) {
            return;
        }
        Fields spec = Fields.of(object).struct("spec");
        String name = spec.node().path(PRIORITY_CLASS).asText("");
        if (!spec.isBlank(PRIORITY_CLASS) && priorityClasses.find(name).isEmpty()) {
            throw spec.wrong(
                    PRIORITY_CLASS,
                    spec.node().path(PRIORITY_CLASS),
                    "the name of a PriorityClass among the objects: " + priorityClasses.names());
        }
    }

    /**
     * Checks that the runtime class of a new pod is among the objects.
     *
     * @throws ClusterFileException if it is not
     */
    public void requireRuntimeClass(ObjectNode object) {
        if (ObjectKey.of(object).isPod()) {
            runtimeClasses.require(Fields.of(object).struct("spec"));
        }
    }

    /**
     * Admits a new object: turns it, in place, into the object that the API server stores.
     *
     * @throws org.moorage.objects.ObjectRefusedException if the API server refuses it
     * @throws ClusterFileException if it has a shape that the API server would refuse
     */
    public void admit(ObjectNode object) {
        admit(object, podValidation::check);
    }

    /**
     * As {@link #admit}, for a pod from a template that an API server has accepted. Since a dump may lack fields of the
     * template, only fields that admission may have changed are validated.
     */
    public void admitOfTemplate(ObjectNode pod) {
        admit(pod, podValidation::checkResources);
    }

    private void admit(ObjectNode object, Consumer<NewObject> validation) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isPod() || key.isPersistentVolumeClaim()) {
            SET_BY_SERVER.forEach(Fields.of(object).struct("metadata").node()::remove);
            object.remove("status");
        }
        if (key.isPod()) {
            admitPod(new NewObject(object), validation);
        } else if (key.isPersistentVolumeClaim()) {
            admitClaim(new NewObject(object));
        } else {
            complete(object);
            addUid(object);
            Defaulting.applyToNew(object, features);
        }
    }

    /**
     * Validates a new object that is not a pod, such as a workload, without changing it.
     *
     * @throws org.moorage.objects.ObjectRefusedException if the API server refuses it
     * @throws ClusterFileException if it has a shape that the API server would refuse
     */
    public void validate(ObjectNode object) {
        ObjectNode completed = object.deepCopy();
        Defaulting.applyToNew(completed, features);
        objectValidation.check(new NewObject(completed));
    }

    // In kube-apiserver's order: mutating plugins, preparation for storage, validation, validating plugins.
    private void admitPod(NewObject pod, Consumer<NewObject> validation) {
        Defaulting.apply(pod.tree(), features);
        checkNamespace(pod);
        List<LimitRange> ranges = limitRanges.of(pod);
        LimitRanges.setDefaults(pod, ranges);
        setPriority(pod);
        DefaultTolerations.add(pod.spec());
        Optional<RuntimeClass> runtimeClass = runtimeClasses.of(pod);
        runtimeClass.ifPresent(ofPod -> RuntimeClasses.apply(pod, ofPod));
        addName(pod);
        prepare(pod.tree());
        Defaulting.applyAfterAdmission(pod.tree(), features);
        validation.accept(pod);
        limitRanges.check(pod, ranges);
        RuntimeClasses.check(pod, runtimeClass);
    }

    private void admitClaim(NewObject claim) {
        Defaulting.apply(claim.tree(), features);
        checkNamespace(claim);
        storageClasses.addDefault(claim.fields());
        addName(claim);
        limitRanges.checkClaim(claim);
    }

    private void checkNamespace(NewObject object) {
        if (terminatingNamespaces.contains(object.namespace())) {
            throw object.forbidden("unable to create new content in namespace " + object.namespace()
                    + " because it is being terminated");
        }
    }

    private void setPriority(NewObject pod) {
        Fields spec = pod.spec();
        PriorityClass priorityClass = classOf(pod);
        int priority = spec.number(PRIORITY, priorityClass.value());
        if (priority != priorityClass.value()) {
            throw pod.forbidden("the integer value of priority (" + priority
                    + ") must not be provided in pod spec; priority admission controller computed "
                    + priorityClass.value() + " from the given PriorityClass name");
        }
        String policy = spec.node().path(PREEMPTION_POLICY).asText(priorityClass.preemptionPolicy());
        if (!policy.equals(priorityClass.preemptionPolicy())) {
            throw pod.forbidden("the string value of PreemptionPolicy (" + policy
                    + ") must not be provided in pod spec; priority admission controller computed "
                    + priorityClass.preemptionPolicy() + " from the given PriorityClass name");
        }
        addPriority(spec, priorityClass);
    }

    private static void addPriority(Fields spec, PriorityClass priorityClass) {
        if (!priorityClass.name().isEmpty()) {
            spec.node().put(PRIORITY_CLASS, priorityClass.name());
        }
        spec.node().put(PRIORITY, priorityClass.value());
        spec.whenAbsent(PREEMPTION_POLICY, priorityClass.preemptionPolicy());
    }

    private PriorityClass classOf(NewObject object) {
        Fields spec = object.spec();
        if (spec.isBlank(PRIORITY_CLASS)) {
            return priorityClasses.globalDefault();
        }
        String name = spec.node().path(PRIORITY_CLASS).asText("");
        return priorityClasses
                .find(name)
                .orElseThrow(() -> object.forbidden("no PriorityClass with name " + name + " was found"));
    }

    private void addName(NewObject object) {
        Fields metadata = object.metadata();
        if (metadata.isBlank("name")) {
            String prefix = metadata.node().path("generateName").asText("");
            metadata.node().put("name", GeneratedNames.name(prefix, String.valueOf(generatedNames.incrementAndGet())));
        }
        addUid(object.tree());
    }

    private void prepare(ObjectNode pod) {
        Fields spec = Fields.of(pod).struct("spec");
        if (!features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            spec.node().remove("schedulingGroup");
        }
        ObjectNode labels = Fields.of(pod).struct("metadata").struct("labels").node();
        LabelKeys.mergeOfAffinity(spec, labels);
        if (mergesSpread) {
            LabelKeys.mergeOfSpread(spec, labels);
        }
    }

    /**
     * Completes an existing object in place, except for uids and defaults. A pod keeps its priority and its own
     * preemption policy, even one that differs from its class's, which the API server would refuse. A group keeps its
     * values, unless it is new and names a class with other values.
     *
     * @throws org.moorage.objects.ObjectRefusedException if the priority class of a pod or group does not exist or
     *     differs
     * @throws ClusterFileException if it has a shape that the API server would refuse
     */
    public void complete(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isPod()) {
            if (Fields.isAbsent(object.path("spec").path(PRIORITY))) {
                NewObject pod = new NewObject(object);
                addPriority(pod.spec(), classOf(pod));
            }
            prepare(object);
        } else if (key.isPersistentVolumeClaim()) {
            if (object.path("spec").path("volumeName").asText("").isEmpty()) {
                storageClasses.addDefault(Fields.of(object));
            }
        } else if (isGroup(key) && features.isEnabled(gateOf(key))) {
            dropDisabled(object, key);
            if (!hasPriority(object)) {
                admitGroup(new NewObject(object));
            }
        }
    }

    private static boolean isGroup(ObjectKey key) {
        return key.group().equals(SCHEDULING)
                && (key.kind().equals(POD_GROUP) || key.kind().equals(COMPOSITE_POD_GROUP));
    }

    private static String gateOf(ObjectKey group) {
        return group.kind().equals(POD_GROUP) ? FeatureGates.GENERIC_WORKLOAD : FeatureGates.COMPOSITE_POD_GROUP;
    }

    // A group that a server has admitted, or that has a priority and no class, keeps its values.
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

    private void admitGroup(NewObject group) {
        Fields spec = group.spec();
        boolean namesClass = !spec.isBlank(PRIORITY_CLASS);
        PriorityClass priorityClass = classOf(group);
        String what = ObjectKey.of(group.tree()).kind().equals(POD_GROUP) ? "pod group" : "composite pod group";
        int priority = spec.number(PRIORITY, priorityClass.value());
        if (priority != priorityClass.value()) {
            throw group.forbidden("priority set in the " + what + " (" + priority
                    + ") must match the priority computed (" + priorityClass.value()
                    + ") based on the priority class set in the spec");
        }
        if (!priorityClass.name().isEmpty()) {
            spec.node().put(PRIORITY_CLASS, priorityClass.name());
        }
        spec.node().put(PRIORITY, priority);
        if (features.isEnabled(FeatureGates.POD_GROUP_PREEMPTION_POLICY)) {
            admitPreemptionPolicy(group, priorityClass.preemptionPolicy(), namesClass, what);
        }
    }

    private static void admitPreemptionPolicy(NewObject group, String ofClass, boolean namesClass, String what) {
        Fields spec = group.spec();
        if (!ofClass.equals(PriorityClasses.PREEMPT_LOWER_PRIORITY) && !ofClass.equals(NEVER)) {
            throw group.forbidden("preemptionPolicy set in the PriorityClass object (" + ofClass
                    + ") must match one of the allowed values of PreemptionPolicy type in " + what);
        }
        String own = spec.node().path(PREEMPTION_POLICY).asText(ofClass);
        if (namesClass && !own.equals(ofClass)) {
            throw group.forbidden("the string value of PreemptionPolicy (" + own + ") must not be provided in " + what
                    + " spec; priority admission controller computed " + ofClass
                    + " from the given PriorityClass name");
        }
        spec.whenAbsent(PREEMPTION_POLICY, ofClass);
    }
}
