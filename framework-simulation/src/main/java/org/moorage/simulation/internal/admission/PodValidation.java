// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.tree.Fields;

/**
 * The validation of created pods and their templates, with the rules and messages of kube-apiserver v1.37: all fields
 * that scheduling reads, and names. Fields that only kubelets read, such as variables, probes and security contexts,
 * are not validated.
 */
final class PodValidation {
    private static final List<String> DNS_POLICIES =
            List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final List<String> NODE_POLICIES = List.of("Honor", "Ignore");
    private static final List<String> PREEMPTION_POLICIES = List.of("PreemptLowerPriority", "Never");
    private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
    private static final List<String> SYSTEMS = List.of("linux", "windows");
    private static final List<String> UNSATISFIABLE = List.of("DoNotSchedule", "ScheduleAnyway");
    private static final String MIRROR = "kubernetes.io/config.mirror";

    private static final String NOT_AN_INTEGER = "must be a valid decimal integer in canonical form";

    private final boolean podsHaveResources;
    private final boolean isStrict;
    private final boolean hasGroups;
    private final boolean comparesTaints;
    private final boolean mergesSpread;

    /**
     * The validation of an API server with these features.
     *
     * @param isStrict whether pods must also have what scheduling does not need: containers, images, and limits of
     *     extended resources
     */
    PodValidation(FeatureGates features, boolean isStrict) {
        this.isStrict = isStrict;
        podsHaveResources = features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES);
        hasGroups = features.isEnabled(FeatureGates.GENERIC_WORKLOAD);
        comparesTaints = features.isEnabled(FeatureGates.TAINT_TOLERATION_COMPARISON_OPERATORS);
        mergesSpread = features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD)
                && features.isEnabled(FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE);
    }

    /**
     * Refuses a pod that breaks a rule.
     *
     * @throws org.moorage.objects.ObjectRefusedException if it breaks one
     */
    void check(NewObject pod) {
        FieldErrors errors = new FieldErrors();
        MetadataValidation.check(pod.metadata(), NameRules::subdomain, errors);
        spec(pod.spec(), pod.metadata().text("name"), isMirror(pod), "spec", errors);
        errors.nonNegative(
                "spec.terminationGracePeriodSeconds",
                pod.spec().node().path("terminationGracePeriodSeconds").asLong());
        if (!pod.spec().isEmpty("ephemeralContainers")) {
            errors.forbidden("spec.ephemeralContainers", "cannot be set on create");
        }
        if (!pod.spec().isBlank("nodeName") && !pod.spec().isEmpty("schedulingGates")) {
            errors.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
        }
        throwIfAny(pod, errors);
    }

    /**
     * Refuses a pod that a controller creates from a template that an API server has accepted. Since a dump does not
     * have all fields of a template, only fields that admission may have changed are validated.
     *
     * @throws org.moorage.objects.ObjectRefusedException if requests and limits contradict one another
     */
    void checkResources(NewObject pod) {
        FieldErrors errors = new FieldErrors();
        for (String list : List.of("containers", "initContainers")) {
            List<Fields> containers = pod.spec().each(list);
            for (int i = 0; i < containers.size(); i++) {
                String path = "spec." + list + "[" + i + "].resources";
                Set<String> claims = claims(containers.get(i).struct("resources"), "claims");
                ResourceValidation.ofContainer(containers.get(i).struct("resources"), claims, false, path, errors);
            }
        }
        if (podsHaveResources) {
            ResourceValidation.ofPod(pod.spec(), "spec", errors);
        }
        throwIfAny(pod, errors);
    }

    private static void throwIfAny(NewObject object, FieldErrors errors) {
        if (errors.count() > 0) {
            throw object.invalid(errors.all());
        }
    }

    private static boolean isMirror(NewObject pod) {
        return pod.metadata().node().path("annotations").has(MIRROR);
    }

    private static Set<String> claims(Fields parent, String list) {
        Set<String> names = new HashSet<>();
        for (JsonNode claim : parent.node().path(list)) {
            if (!claim.path("name").asText("").isEmpty()) {
                names.add(claim.path("name").asText(""));
            }
        }
        return names;
    }

    /** Validates the template of a workload's pods. */
    void template(Fields template, String path, FieldErrors errors) {
        template.pointer("metadata").ifPresent(metadata -> {
            LabelValidation.labels(metadata, "labels", path + ".labels", errors);
            LabelValidation.annotations(metadata, path + ".annotations", errors);
        });
        Fields spec = template.struct("spec");
        spec(spec, "", false, path + ".spec", errors);
        if (!spec.isEmpty("ephemeralContainers")) {
            errors.forbidden(path + ".spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
        }
    }

    private void spec(Fields spec, String podName, boolean isMirror, String path, FieldErrors errors) {
        Map<String, Fields> volumes = VolumeValidation.volumes(spec, podName, path + ".volumes", errors);
        resourceClaims(spec, isMirror, path + ".resourceClaims", errors);
        new ContainerValidation(spec, path, volumes, claims(spec, "resourceClaims"), errors).check(isStrict);
        if (podsHaveResources) {
            ResourceValidation.ofPod(spec, path, errors);
        }
        hostNetwork(spec, !podName.isEmpty(), path + ".containers", errors);
        oneOf(spec, "restartPolicy", RESTART_POLICIES, path, errors);
        oneOf(spec, "dnsPolicy", DNS_POLICIES, path, errors);
        LabelValidation.labels(spec, "nodeSelector", path + ".nodeSelector", errors);
        AffinityValidation.check(spec, path, errors);
        List<Fields> readiness = spec.each("readinessGates");
        for (int i = 0; i < readiness.size(); i++) {
            LabelValidation.key(
                    readiness.get(i), "conditionType", path + ".readinessGates[" + i + "].conditionType", errors);
        }
        schedulingGates(spec, path + ".schedulingGates", errors);
        spread(spec, path + ".topologySpreadConstraints", errors);
        name(spec, "serviceAccountName", NameRules::subdomain, path, errors);
        name(spec, "nodeName", NameRules::subdomain, path, errors);
        deadline(spec, path + ".activeDeadlineSeconds", errors);
        name(spec, "hostname", NameRules::label, path, errors);
        name(spec, "subdomain", NameRules::label, path, errors);
        tolerations(spec, path + ".tolerations", errors);
        name(spec, "priorityClassName", NameRules::subdomain, path, errors);
        if (!spec.isAbsent("runtimeClassName")) {
            String name = spec.text("runtimeClassName");
            errors.invalid(path + ".runtimeClassName", name, NameRules.subdomain(name));
        }
        oneOf(spec, "preemptionPolicy", PREEMPTION_POLICIES, path, errors);
        ResourceValidation.ofOverhead(spec, path + ".overhead", errors);
        system(spec, path + ".os", errors);
        if (hasGroups) {
            schedulingGroup(spec, path + ".schedulingGroup.podGroupName", errors);
        }
    }

    private static void oneOf(Fields spec, String field, List<String> supported, String path, FieldErrors errors) {
        if (!spec.isBlank(field) && !supported.contains(spec.text(field))) {
            errors.notSupported(path + "." + field, spec.text(field), supported);
        }
    }

    private static void name(Fields spec, String field, NameRules.Rules rules, String path, FieldErrors errors) {
        if (!spec.isBlank(field)) {
            errors.invalid(path + "." + field, spec.text(field), rules.broken(spec.text(field)));
        }
    }

    private static void resourceClaims(Fields spec, boolean isMirror, String list, FieldErrors errors) {
        List<Fields> claims = spec.each("resourceClaims");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < claims.size(); i++) {
            Fields claim = claims.get(i);
            String own = list + "[" + i + "]";
            if (isMirror) {
                errors.forbidden("", "static pods do not support resource claims");
                continue;
            }
            String name = claim.text("name");
            if (name.isEmpty()) {
                errors.required(own + ".name", "");
            } else if (names.contains(name)) {
                errors.duplicate(own + ".name", name);
            } else {
                errors.invalid(own + ".name", name, NameRules.label(name));
                names.add(name);
            }
            boolean hasName = !claim.isAbsent("resourceClaimName");
            boolean hasTemplate = !claim.isAbsent("resourceClaimTemplateName");
            if (hasName && hasTemplate) {
                errors.invalid(
                        own,
                        internal(claim),
                        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
            }
            if (!hasName && !hasTemplate) {
                errors.invalid(
                        own, internal(claim), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
            }
            for (String field : List.of("resourceClaimName", "resourceClaimTemplateName")) {
                if (!claim.isAbsent(field)) {
                    errors.invalid(own + "." + field, claim.text(field), NameRules.subdomain(claim.text(field)));
                }
            }
        }
    }

    // As the API server's own type is written.
    private static JsonNode internal(Fields claim) {
        return claim.node()
                .objectNode()
                .put("Name", claim.text("name"))
                .<ObjectNode>set("ResourceClaimName", orNull(claim, "resourceClaimName"))
                .set("ResourceClaimTemplateName", orNull(claim, "resourceClaimTemplateName"));
    }

    private static JsonNode orNull(Fields claim, String field) {
        return claim.isAbsent(field) ? claim.node().nullNode() : claim.node().path(field);
    }

    private static void hostNetwork(Fields spec, boolean isPod, String list, FieldErrors errors) {
        if (!spec.node().path("hostNetwork").asBoolean()) {
            return;
        }
        List<Fields> containers = spec.each("containers");
        for (int i = 0; i < containers.size(); i++) {
            List<Fields> ports = containers.get(i).each("ports");
            for (int j = 0; j < ports.size(); j++) {
                int hostPort = ports.get(j).number("hostPort", 0);
                boolean isCompared = isPod || hostPort != 0;
                if (isCompared && hostPort != ports.get(j).number("containerPort", 0)) {
                    errors.invalid(
                            list + "[" + i + "].ports[" + j + "].hostPort",
                            hostPort,
                            "must match `containerPort` when `hostNetwork` is true");
                }
            }
        }
    }

    private static void schedulingGates(Fields spec, String list, FieldErrors errors) {
        List<Fields> gates = spec.each("schedulingGates");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < gates.size(); i++) {
            String name = gates.get(i).text("name");
            errors.invalid(list + "[" + i + "]", name, NameRules.key(name));
            if (!names.add(name)) {
                errors.duplicate(list + "[" + i + "]", name);
            }
        }
    }

    private void spread(Fields spec, String list, FieldErrors errors) {
        List<Fields> constraints = spec.each("topologySpreadConstraints");
        for (int i = 0; i < constraints.size(); i++) {
            Fields constraint = constraints.get(i);
            String own = list + "[" + i + "]";
            positive(constraint.number("maxSkew", 0), own + ".maxSkew", errors);
            if (constraint.isBlank("topologyKey")) {
                errors.required(own + ".topologyKey", "can not be empty");
            }
            String action = constraint.text("whenUnsatisfiable");
            if (!UNSATISFIABLE.contains(action)) {
                errors.notSupported(own + ".whenUnsatisfiable", action, UNSATISFIABLE);
            }
            String pair = pair(constraint);
            if (constraints.subList(i + 1, constraints.size()).stream()
                    .anyMatch(other -> pair(other).equals(pair))) {
                errors.duplicate(own + ".{topologyKey, whenUnsatisfiable}", pair);
            }
            if (!constraint.isAbsent("minDomains")) {
                int minDomains = constraint.number("minDomains", 0);
                positive(minDomains, own + ".minDomains", errors);
                if (!action.equals("DoNotSchedule")) {
                    errors.invalid(
                            own + ".minDomains",
                            minDomains,
                            "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action);
                }
            }
            for (String policy : List.of("nodeAffinityPolicy", "nodeTaintsPolicy")) {
                if (!constraint.isAbsent(policy) && !NODE_POLICIES.contains(constraint.text(policy))) {
                    errors.notSupported(own + "." + policy, constraint.text(policy), NODE_POLICIES);
                }
            }
            if (mergesSpread) {
                LabelValidation.mergedKeys(constraint, own, errors);
            } else {
                LabelValidation.separateKeys(constraint, own + ".matchLabelKeys", errors);
            }
            LabelValidation.selector(constraint, "labelSelector", own + ".labelSelector", errors);
        }
    }

    private static void positive(int number, String path, FieldErrors errors) {
        if (number <= 0) {
            errors.invalid(path, number, "must be greater than zero");
        }
    }

    private static String pair(Fields constraint) {
        return "{" + constraint.text("topologyKey") + ", " + constraint.text("whenUnsatisfiable") + "}";
    }

    private static void deadline(Fields spec, String path, FieldErrors errors) {
        long seconds = spec.node().path("activeDeadlineSeconds").asLong(1);
        if (!spec.isAbsent("activeDeadlineSeconds") && (seconds < 1 || seconds > Integer.MAX_VALUE)) {
            errors.invalid(path, seconds, "must be between 1 and 2147483647, inclusive");
        }
    }

    private void tolerations(Fields spec, String list, FieldErrors errors) {
        List<Fields> tolerations = spec.each("tolerations");
        for (int i = 0; i < tolerations.size(); i++) {
            toleration(tolerations.get(i), comparesTaints, list + "[" + i + "]", errors);
        }
    }

    /** Validates a toleration of taints. */
    static void toleration(Fields toleration, boolean comparesTaints, String own, FieldErrors errors) {
        String operator = toleration.text("operator");
        String value = toleration.text("value");
        String effect = toleration.text("effect");
        if (toleration.isBlank("key")) {
            if (!operator.equals("Exists")) {
                errors.invalid(
                        own + ".operator",
                        operator,
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
        } else {
            LabelValidation.key(toleration, "key", own + ".key", errors);
        }
        if (!toleration.isAbsent("tolerationSeconds") && !effect.equals("NoExecute")) {
            errors.invalid(own + ".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
        }
        switch (operator) {
            case "", "Equal" -> {
                List<String> broken = NameRules.value(value);
                if (!broken.isEmpty()) {
                    errors.invalid(own + ".operator", value, String.join(";", broken));
                }
            }
            case "Exists" -> {
                if (!value.isEmpty()) {
                    errors.invalid(own + ".operator", value, "value must be empty when `operator` is 'Exists'");
                }
            }
            case "Lt", "Gt" -> {
                if (comparesTaints) {
                    number(value, own + ".value", errors);
                } else {
                    errors.notSupported(own + ".operator", operator, List.of("Equal", "Exists", "Lt", "Gt"));
                }
            }
            default -> errors.notSupported(own + ".operator", operator, List.of("Equal", "Exists"));
        }
        if (!effect.isEmpty() && !EFFECTS.contains(effect)) {
            errors.notSupported(own + ".effect", effect, EFFECTS);
        }
    }

    private static void number(String value, String path, FieldErrors errors) {
        String digits = value.startsWith("-") ? value.substring(1) : value;
        boolean isInteger = !digits.isEmpty()
                && digits.chars().allMatch(character -> character >= '0' && character <= '9')
                && (digits.length() == 1 || !digits.startsWith("0"))
                && !value.equals("-0");
        if (!isInteger) {
            errors.invalid(path, value, value.isEmpty() ? "must be non-empty" : NOT_AN_INTEGER);
        }
        try {
            long ignored = Long.parseLong(value);
        } catch (NumberFormatException e) {
            String why = isInteger ? "value out of range" : "invalid syntax";
            errors.invalid(path, value, "strconv.ParseInt: parsing \"" + value + "\": " + why);
        }
    }

    private static void system(Fields spec, String path, FieldErrors errors) {
        spec.pointer("os").ifPresent(os -> {
            if (os.isBlank("name")) {
                errors.required(path + ".name", "");
            } else if (!SYSTEMS.contains(os.text("name"))) {
                errors.notSupported(path, os.text("name"), SYSTEMS);
            }
        });
    }

    private static void schedulingGroup(Fields spec, String path, FieldErrors errors) {
        spec.pointer("schedulingGroup").ifPresent(group -> {
            if (group.isAbsent("podGroupName")) {
                errors.invalid(path, group.node().nullNode(), "must specify one of: `podGroupName`");
            } else {
                errors.invalid(path, group.text("podGroupName"), NameRules.subdomain(group.text("podGroupName")));
            }
        });
    }
}
