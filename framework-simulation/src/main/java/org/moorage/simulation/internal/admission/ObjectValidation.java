// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;

/**
 * The validation of created objects other than pods, with the rules and messages of kube-apiserver v1.37: workloads,
 * and objects that pods need. Other kinds are not validated.
 */
final class ObjectValidation {
    private static final int HIGHEST_PRIORITY = 1_000_000_000;
    private static final Set<String> SYSTEM_CLASSES = Set.of("system-node-critical", "system-cluster-critical");
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");

    private final WorkloadValidation workloads;
    private final boolean comparesTaints;

    ObjectValidation(FeatureGates features, PodValidation pods) {
        workloads = new WorkloadValidation(pods);
        comparesTaints = features.isEnabled(FeatureGates.TAINT_TOLERATION_COMPARISON_OPERATORS);
    }

    /**
     * Refuses an object that breaks a rule.
     *
     * @param object has its defaults
     * @throws org.moorage.objects.ObjectRefusedException if so
     */
    void check(NewObject object) {
        ObjectKey key = ObjectKey.of(object.tree());
        FieldErrors errors = new FieldErrors();
        switch (key.group() + "/" + key.kind()) {
            case "apps/Deployment" -> workloads.deployment(object, errors);
            case "apps/ReplicaSet" -> workloads.replicaSet(object, errors);
            case "/ReplicationController" -> workloads.replicationController(object, errors);
            case "apps/StatefulSet" -> workloads.statefulSet(object, errors);
            case "apps/DaemonSet" -> workloads.daemonSet(object, errors);
            case "batch/Job" -> workloads.job(object, errors);
            case "batch/CronJob" -> workloads.cronJob(object, errors);
            case "/PersistentVolumeClaim" -> {
                MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
                VolumeValidation.claimSpec(object.spec(), "spec", errors);
            }
            case "scheduling.k8s.io/PriorityClass" -> priorityClass(object, errors);
            case "scheduling.k8s.io/PodGroup" -> group(object, "minCount", errors);
            case "scheduling.k8s.io/CompositePodGroup" -> group(object, "minGroupCount", errors);
            case "storage.k8s.io/StorageClass" -> storageClass(object, errors);
            case "node.k8s.io/RuntimeClass" -> runtimeClass(object, errors);
            case "resource.k8s.io/DeviceClass" -> deviceClass(object, errors);
            case "resource.k8s.io/ResourceClaim" -> {
                MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
                requests(object.spec(), "spec", errors);
            }
            case "resource.k8s.io/ResourceClaimTemplate" -> {
                MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
                requests(object.spec().struct("spec"), "spec.spec", errors);
            }
            case "/Namespace" -> MetadataValidation.check(object.metadata(), NameRules::label, errors);
            case "/LimitRange" -> limitRange(object, errors);
            case "/Node" -> node(object, errors);
            default -> {}
        }
        if (errors.count() > 0) {
            throw object.invalid(errors.all());
        }
    }

    private static void priorityClass(NewObject object, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        String name = object.metadata().text("name");
        if (name.startsWith("system-")) {
            if (!SYSTEM_CLASSES.contains(name)) {
                errors.forbidden(
                        "metadata.name",
                        "priority class names with 'system-' prefix are reserved for system use only. error: " + name
                                + " is not a known system priority class");
            }
        } else if (object.fields().number("value", 0) > HIGHEST_PRIORITY) {
            errors.forbidden("value", "maximum allowed value of a user defined priority is " + HIGHEST_PRIORITY);
        }
        oneOf(object.fields(), "preemptionPolicy", List.of("PreemptLowerPriority", "Never"), "", errors);
    }

    private static void oneOf(Fields parent, String field, List<String> supported, String path, FieldErrors errors) {
        if (!parent.isBlank(field) && !supported.contains(parent.text(field))) {
            errors.notSupported(path + field, parent.text(field), supported);
        }
    }

    private static void group(NewObject object, String count, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        Fields policy = object.spec().struct("schedulingPolicy");
        boolean isGang = !policy.isAbsent("gang");
        if (isGang == !policy.isAbsent("basic")) {
            errors.invalid(
                    "spec.schedulingPolicy",
                    isGang ? "{`basic`, `gang`}" : "",
                    isGang ? "must specify exactly one of: `basic`, `gang`" : "must specify one of: `basic`, `gang`");
        }
        if (isGang) {
            JsonNode minimum = policy.node().path("gang").path(count);
            String path = "spec.schedulingPolicy.gang." + count;
            if (Fields.isAbsent(minimum)) {
                errors.required(path, "");
            } else if (minimum.asInt() < 1) {
                errors.invalid(path, minimum, "must be greater than or equal to 1");
            }
        }
    }

    private static void storageClass(NewObject object, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        String provisioner = object.fields().text("provisioner");
        if (provisioner.isEmpty()) {
            errors.required("provisioner", "");
        } else {
            String lowerCase = provisioner.toLowerCase(Locale.ROOT);
            errors.invalid("provisioner", lowerCase, NameRules.key(lowerCase));
        }
        oneOf(object.fields(), "reclaimPolicy", List.of("Delete", "Retain"), "", errors);
        oneOf(object.fields(), "volumeBindingMode", List.of("Immediate", "WaitForFirstConsumer"), "", errors);
    }

    private void runtimeClass(NewObject object, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        String handler = object.fields().text("handler");
        if (handler.isEmpty()) {
            errors.required("handler", "");
        } else {
            errors.invalid("handler", handler, NameRules.label(handler));
        }
        object.fields()
                .pointer("overhead")
                .ifPresent(overhead -> WrittenQuantity.list(overhead, "podFixed")
                        .forEach((name, amount) ->
                                ResourceValidation.quantity(name, amount, "overhead.limits[" + name + "]", errors)));
        object.fields().pointer("scheduling").ifPresent(scheduling -> {
            LabelValidation.labels(scheduling, "nodeSelector", "scheduling.nodeSelector", errors);
            List<Fields> tolerations = scheduling.each("tolerations");
            for (int i = 0; i < tolerations.size(); i++) {
                String path = "scheduling.tolerations[" + i + "]";
                PodValidation.toleration(tolerations.get(i), comparesTaints, path, errors);
            }
        });
    }

    private static void deviceClass(NewObject object, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        List<Fields> selectors = object.spec().each("selectors");
        for (int i = 0; i < selectors.size(); i++) {
            selector(selectors.get(i), "spec.selectors[" + i + "]", errors);
        }
    }

    private static void selector(Fields selector, String path, FieldErrors errors) {
        if (selector.isAbsent("cel")) {
            errors.required(path + ".cel", "");
        } else if (selector.struct("cel").isBlank("expression")) {
            errors.required(path + ".cel.expression", "");
        }
    }

    private static void requests(Fields spec, String path, FieldErrors errors) {
        List<Fields> requests = spec.struct("devices").each("requests");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < requests.size(); i++) {
            Fields request = requests.get(i);
            String own = path + ".devices.requests[" + i + "]";
            String name = request.text("name");
            if (!names.add(name)) {
                errors.duplicate(own, request.node());
            }
            errors.invalid(own + ".name", name, NameRules.label(name));
            boolean hasOthers = !request.isEmpty("firstAvailable");
            // In v1beta1 a request has itself what later ones have in "exactly".
            boolean isExact = !request.isAbsent("exactly") || !request.isBlank("deviceClassName");
            if (!hasOthers && !isExact) {
                errors.required(own, "exactly one of `exactly` or `firstAvailable` is required");
            } else if (hasOthers && isExact) {
                errors.invalid(
                        own,
                        request.node().nullNode(),
                        "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
            } else if (!request.isAbsent("exactly")) {
                devices(request.struct("exactly"), own + ".exactly", errors);
            }
            List<Fields> others = request.each("firstAvailable");
            for (int j = 0; j < others.size() && !isExact; j++) {
                String other = own + ".firstAvailable[" + j + "]";
                errors.invalid(
                        other + ".name",
                        others.get(j).text("name"),
                        NameRules.label(others.get(j).text("name")));
                devices(others.get(j), other, errors);
            }
        }
    }

    private static void devices(Fields request, String path, FieldErrors errors) {
        String deviceClass = request.text("deviceClassName");
        if (deviceClass.isEmpty()) {
            errors.required(path + ".deviceClassName", "");
        } else {
            errors.invalid(path + ".deviceClassName", deviceClass, NameRules.subdomain(deviceClass));
        }
        List<Fields> selectors = request.each("selectors");
        for (int i = 0; i < selectors.size(); i++) {
            selector(selectors.get(i), path + ".selectors[" + i + "]", errors);
        }
        long count = request.node().path("count").asLong();
        switch (request.text("allocationMode")) {
            case "", "ExactCount" -> {
                if (count <= 0 && !request.isBlank("count")) {
                    errors.invalid(path + ".count", count, "must be greater than zero");
                }
            }
            case "All" -> {
                if (count != 0) {
                    errors.invalid(path + ".count", count, "must not be specified when allocationMode is 'All'");
                }
            }
            default ->
                errors.notSupported(
                        path + ".allocationMode", request.text("allocationMode"), List.of("All", "ExactCount"));
        }
    }

    private static void limitRange(NewObject object, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        List<Fields> items = object.spec().each("limits");
        for (int i = 0; i < items.size(); i++) {
            Map<String, WrittenQuantity> highest = WrittenQuantity.list(items.get(i), "max");
            Map<String, WrittenQuantity> lowest = WrittenQuantity.list(items.get(i), "min");
            Map<String, WrittenQuantity> limits = WrittenQuantity.list(items.get(i), "default");
            Map<String, WrittenQuantity> requests = WrittenQuantity.list(items.get(i), "defaultRequest");
            Set<String> names = new HashSet<>(highest.keySet());
            List.of(lowest, limits, requests).forEach(list -> names.addAll(list.keySet()));
            for (String name : names) {
                Bounds bounds = new Bounds("spec.limits[" + i + "]", name, errors);
                bounds.check("min", false, "min", lowest.get(name), "max", highest.get(name));
                bounds.check("defaultRequest", true, "min", lowest.get(name), "default request", requests.get(name));
                bounds.check("defaultRequest", false, "default request", requests.get(name), "max", highest.get(name));
                bounds.check(
                        "defaultRequest", false, "default request", requests.get(name), "default", limits.get(name));
                bounds.check("default", false, "min", lowest.get(name), "default", limits.get(name));
                bounds.check("default", true, "default", limits.get(name), "max", highest.get(name));
            }
        }
    }

    /** The amounts of a resource that limit each other. */
    private record Bounds(String item, String resource, FieldErrors errors) {
        private void check(
                String field,
                boolean showsHigher,
                String lower,
                @Nullable WrittenQuantity low,
                String upper,
                @Nullable WrittenQuantity high) {
            if (low != null && high != null && high.isLessThan(low)) {
                errors.invalid(
                        item + "." + field + "[" + resource + "]",
                        (showsHigher ? high : low).text(),
                        lower + " value " + low.text() + " is greater than " + upper + " value " + high.text());
            }
        }
    }

    private static void node(NewObject object, FieldErrors errors) {
        MetadataValidation.check(object.metadata(), NameRules::subdomain, errors);
        Set<String> pairs = new HashSet<>();
        List<Fields> taints = object.spec().each("taints");
        for (int i = 0; i < taints.size(); i++) {
            Fields taint = taints.get(i);
            String path = "metadata.taints[" + i + "]";
            LabelValidation.key(taint, "key", path + ".key", errors);
            errors.invalid(path + ".value", taint.text("value"), NameRules.value(taint.text("value")));
            String effect = taint.text("effect");
            if (effect.isEmpty()) {
                errors.required(path + ".effect", "");
            } else if (!EFFECTS.contains(effect)) {
                errors.notSupported(path + ".effect", effect, EFFECTS);
            }
            if (!pairs.add(taint.text("key") + " " + effect)) {
                errors.duplicate(path, internal(taint), "taints must be unique by key and effect pair");
            }
        }
        for (String list : List.of("capacity", "allocatable")) {
            WrittenQuantity.list(object.fields().struct("status"), list)
                    .forEach((name, amount) ->
                            ResourceValidation.quantity(name, amount, "status." + list + "." + name, errors));
        }
    }

    // As the API server's own type is written.
    private static ObjectNode internal(Fields taint) {
        return taint.node()
                .objectNode()
                .put("Key", taint.text("key"))
                .put("Value", taint.text("value"))
                .put("Effect", taint.text("effect"))
                .set("TimeAdded", taint.node().nullNode());
    }
}
