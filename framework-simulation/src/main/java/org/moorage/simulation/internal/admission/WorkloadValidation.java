// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.objects.tree.Fields;

/** The validation of created workloads and their templates, with the rules and messages of kube-apiserver v1.37. */
final class WorkloadValidation {
    private static final String SELECTOR = "spec.selector";
    private static final String TEMPLATE = "spec.template";
    private static final String NOT_MATCHED = "`selector` does not match template `labels`";
    private static final String CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
    private static final int MOST_INDEXED_PARALLELISM = 100_000;
    private static final int LONGEST_CRON_JOB_NAME = 52;
    private static final int SCHEDULE_FIELDS = 5;
    private static final List<String> COUNTS_OF_JOBS = List.of(
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "backoffLimitPerIndex",
            "maxFailedIndexes");

    private final PodValidation pods;

    WorkloadValidation(PodValidation pods) {
        this.pods = pods;
    }

    void deployment(NewObject deployment, FieldErrors errors) {
        MetadataValidation.check(deployment.metadata(), NameRules::subdomain, errors);
        Fields spec = deployment.spec();
        number(spec, "replicas", errors);
        if (selector(spec, "deployment", "invalid label selector", errors)) {
            template(spec, "ReplicaSet", true, errors);
        }
        deploymentStrategy(spec.struct("strategy"), errors);
        number(spec, "minReadySeconds", errors);
        number(spec, "revisionHistoryLimit", errors);
        number(spec, "progressDeadlineSeconds", errors);
        int deadline = spec.number("progressDeadlineSeconds", 0);
        if (!spec.isAbsent("progressDeadlineSeconds") && deadline <= spec.number("minReadySeconds", 0)) {
            errors.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
        }
    }

    void replicaSet(NewObject set, FieldErrors errors) {
        MetadataValidation.check(set.metadata(), NameRules::subdomain, errors);
        Fields spec = set.spec();
        number(spec, "replicas", errors);
        number(spec, "minReadySeconds", errors);
        // The API server names a deployment here, too.
        if (selector(spec, "deployment", "invalid label selector", errors)) {
            template(spec, "ReplicaSet", true, errors);
        }
    }

    void replicationController(NewObject controller, FieldErrors errors) {
        MetadataValidation.check(controller.metadata(), NameRules::subdomain, errors);
        Fields spec = controller.spec();
        number(spec, "minReadySeconds", errors);
        if (spec.isEmpty("selector")) {
            errors.required(SELECTOR, "");
        }
        number(spec, "replicas", errors);
        if (spec.isAbsent("template")) {
            errors.required(TEMPLATE, "");
            return;
        }
        JsonNode labels = labelsOfTemplate(spec);
        if (!hasAll(labels, spec.node().path("selector"))) {
            errors.invalid(TEMPLATE + ".metadata.labels", sorted(labels), NOT_MATCHED);
        }
        template(spec, "ReplicationController", false, errors);
    }

    void statefulSet(NewObject set, FieldErrors errors) {
        MetadataValidation.check(set.metadata(), NameRules::label, errors);
        Fields spec = set.spec();
        String management = spec.text("podManagementPolicy");
        if (!List.of("OrderedReady", "Parallel").contains(management)) {
            errors.invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
        }
        updateStrategyOfStatefulSet(spec.struct("updateStrategy"), errors);
        Fields retention = spec.struct("persistentVolumeClaimRetentionPolicy");
        for (String when : List.of("whenDeleted", "whenScaled")) {
            if (!List.of("Retain", "Delete").contains(retention.text(when))) {
                errors.notSupported(
                        "spec.persistentVolumeClaimRetentionPolicy." + when,
                        retention.text(when),
                        List.of("Retain", "Delete"));
            }
        }
        List<Fields> claims = spec.each("volumeClaimTemplates");
        for (int i = 0; i < claims.size(); i++) {
            VolumeValidation.claimSpec(
                    claims.get(i).struct("spec"), "spec.volumeClaimTemplates[" + i + "].spec", errors);
        }
        number(spec, "replicas", errors);
        number(spec, "minReadySeconds", errors);
        spec.pointer("ordinals")
                .ifPresent(ordinals -> errors.nonNegative("spec.ordinals.start", ordinals.number("start", 0)));
        if (!spec.isBlank("serviceName")) {
            errors.invalid("spec.serviceName", spec.text("serviceName"), NameRules.label(spec.text("serviceName")));
        }
        boolean isSelector = selector(spec, "statefulset", "", errors);
        if (isSelector) {
            ObjectNode completed = spec.node().deepCopy();
            withVolumesOfClaims(Fields.of(completed), claims);
            templateSpec(Fields.of(completed), true, errors);
        }
        restartPolicy(spec, "StatefulSet", errors);
    }

    // The controller replaces volumes by the claims of the templates with the same names.
    private static void withVolumesOfClaims(Fields spec, List<Fields> claims) {
        Fields template = spec.struct("template").struct("spec");
        template.node().remove(List.of("hostname", "subdomain"));
        Map<String, ObjectNode> byName = new TreeMap<>();
        for (Fields claim : claims) {
            String name = claim.struct("metadata").text("name");
            ObjectNode volume = template.node().objectNode().put("name", name);
            volume.putObject("persistentVolumeClaim").put("claimName", name);
            byName.put(name, volume);
        }
        ArrayNode volumes = template.node().arrayNode();
        volumes.addAll(byName.values());
        for (JsonNode volume : template.node().path("volumes")) {
            if (!byName.containsKey(volume.path("name").asText(""))) {
                volumes.add(volume);
            }
        }
        template.node().set("volumes", volumes);
    }

    private static void updateStrategyOfStatefulSet(Fields strategy, FieldErrors errors) {
        String path = "spec.updateStrategy";
        switch (strategy.text("type")) {
            case "RollingUpdate" ->
                strategy.pointer("rollingUpdate").ifPresent(update -> {
                    errors.nonNegative(path + ".rollingUpdate.partition", update.number("partition", 0));
                    intOrPercent(update, "maxUnavailable", path + ".rollingUpdate", errors);
                });
            case "OnDelete" -> {
                if (!strategy.isAbsent("rollingUpdate")) {
                    errors.invalid(
                            path + ".rollingUpdate",
                            strategy.node().path("rollingUpdate"),
                            "only allowed for updateStrategy 'RollingUpdate'");
                }
            }
            default -> errors.invalid(path, internalStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'");
        }
    }

    // As the API server's own type is written.
    private static ObjectNode internalStrategy(Fields strategy) {
        return strategy.node()
                .objectNode()
                .put("Type", strategy.text("type"))
                .set("RollingUpdate", strategy.node().nullNode());
    }

    void daemonSet(NewObject set, FieldErrors errors) {
        MetadataValidation.check(set.metadata(), NameRules::subdomain, errors);
        Fields spec = set.spec();
        LabelValidation.selector(spec, "selector", SELECTOR, errors);
        boolean isSelector = isSelector(spec.node().path("selector"));
        JsonNode labels = labelsOfTemplate(spec);
        if (isSelector && !matches(spec.node().path("selector"), labels)) {
            errors.invalid(TEMPLATE + ".metadata.labels", sorted(labels), NOT_MATCHED);
        }
        empty(spec, "daemonset", errors);
        template(spec, "DaemonSet", false, errors);
        number(spec, "minReadySeconds", errors);
        updateStrategyOfDaemonSet(spec.struct("updateStrategy"), errors);
        number(spec, "revisionHistoryLimit", errors);
    }

    private static void updateStrategyOfDaemonSet(Fields strategy, FieldErrors errors) {
        String path = "spec.updateStrategy";
        String type = strategy.text("type");
        if (type.equals("OnDelete")) {
            return;
        }
        if (!type.equals("RollingUpdate")) {
            errors.notSupported(path, internalStrategy(strategy), List.of("RollingUpdate", "OnDelete"));
            return;
        }
        Fields update = strategy.struct("rollingUpdate");
        intOrPercent(update, "maxUnavailable", path + ".rollingUpdate", errors);
        intOrPercent(update, "maxSurge", path + ".rollingUpdate", errors);
        boolean canMiss = !isZero(update.node().path("maxUnavailable"));
        boolean canSurge = !isZero(update.node().path("maxSurge"));
        if (canMiss && canSurge) {
            errors.invalid(
                    path + ".rollingUpdate.maxSurge",
                    update.node().path("maxSurge"),
                    "may not be set when maxUnavailable is non-zero");
        } else if (!canMiss && !canSurge) {
            errors.required(path + ".rollingUpdate.maxUnavailable", "cannot be 0 when maxSurge is 0");
        }
    }

    private static void deploymentStrategy(Fields strategy, FieldErrors errors) {
        String path = "spec.strategy";
        switch (strategy.text("type")) {
            case "Recreate" -> {
                if (!strategy.isAbsent("rollingUpdate")) {
                    errors.forbidden(
                            path + ".rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
                }
            }
            case "RollingUpdate" -> {
                Fields update = strategy.struct("rollingUpdate");
                String own = path + ".rollingUpdate";
                intOrPercent(update, "maxUnavailable", own, errors);
                intOrPercent(update, "maxSurge", own, errors);
                JsonNode unavailable = update.node().path("maxUnavailable");
                if (isZero(unavailable) && isZero(update.node().path("maxSurge"))) {
                    errors.invalid(own + ".maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0");
                }
                if (isPercent(unavailable) && percent(unavailable) > 100) {
                    errors.invalid(own + ".maxUnavailable", unavailable, "must not be greater than 100%");
                }
            }
            default -> errors.notSupported(path, internalStrategy(strategy), List.of("Recreate", "RollingUpdate"));
        }
    }

    private static void intOrPercent(Fields update, String field, String path, FieldErrors errors) {
        JsonNode value = update.node().path(field);
        if (value.isTextual() && !isPercent(value)) {
            errors.invalid(
                    path + "." + field,
                    value,
                    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%',"
                            + " regex used for validation is '[0-9]+%')");
        } else if (value.isNumber()) {
            errors.nonNegative(path + "." + field, value.asLong());
        }
    }

    private static boolean isPercent(JsonNode value) {
        return value.asText("").matches("[0-9]{1,9}%");
    }

    private static int percent(JsonNode value) {
        return Integer.parseInt(value.asText().substring(0, value.asText().length() - 1));
    }

    private static boolean isZero(JsonNode value) {
        return isPercent(value) ? percent(value) == 0 : value.asInt() == 0;
    }

    void job(NewObject job, FieldErrors errors) {
        MetadataValidation.check(job.metadata(), NameRules::subdomain, errors);
        Fields spec = job.spec();
        JsonNode selector = spec.node().path("selector");
        boolean isManual = spec.node().path("manualSelector").asBoolean();
        String uid = job.metadata().text("uid");
        boolean isOfServer =
                uid.equals(selector.path("matchLabels").path(CONTROLLER_UID).asText(""));
        if (!isManual && !selector.isEmpty() && !isOfServer) {
            ObjectNode generated = selector.deepCopy();
            Fields.of(generated).struct("matchLabels").node().put(CONTROLLER_UID, uid);
            errors.invalid(SELECTOR, generated, "`selector` not auto-generated");
        }
        jobSpec(spec, "spec", errors);
        if (isManual) {
            LabelValidation.selector(spec, "selector", SELECTOR, errors);
            if (isSelector(selector) && !matches(selector, labelsOfTemplate(spec))) {
                errors.invalid(TEMPLATE + ".metadata.labels", sorted(labelsOfTemplate(spec)), NOT_MATCHED);
            }
        }
        int completions = spec.number("completions", 0);
        if (spec.holds("completionMode", "Indexed") && completions > 0) {
            String name = job.metadata().text("name");
            String host = name + "-" + (completions - 1);
            if (!NameRules.label(host).isEmpty()) {
                errors.invalid("metadata.name", name, "will not able to create pod with invalid DNS label: " + host);
            }
        }
    }

    private void jobSpec(Fields spec, String path, FieldErrors errors) {
        for (String count : COUNTS_OF_JOBS) {
            errors.nonNegative(path + "." + count, spec.node().path(count).asLong());
        }
        if (!spec.isAbsent("maxFailedIndexes") && spec.isAbsent("backoffLimitPerIndex")) {
            errors.required(path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified");
        }
        String manager = spec.text("managedBy");
        if (!spec.isAbsent("managedBy") && !manager.matches("(?s)[^/]+/.+")) {
            errors.invalid(path + ".managedBy", manager, "must be a domain-prefixed path (such as \"acme.io/foo\")");
        }
        completionMode(spec, path, errors);
        List<String> replaced = List.of("Failed", "TerminatingOrFailed");
        if (!spec.isAbsent("podReplacementPolicy") && !replaced.contains(spec.text("podReplacementPolicy"))) {
            errors.notSupported(path + ".podReplacementPolicy", spec.text("podReplacementPolicy"), replaced);
        }
        int parallelism = spec.number("parallelism", 1);
        JsonNode minCount = spec.node().at("/scheduling/schedulingPolicy/gang/minCount");
        if (minCount.isNumber() && minCount.asInt() > parallelism) {
            errors.invalid(
                    path + ".scheduling.schedulingPolicy.gang.minCount",
                    minCount,
                    "must not be greater than parallelism (" + parallelism + ")");
        }
        pods.template(spec.struct("template"), path + ".template", errors);
        restartPolicyOfJob(spec, path + ".template.spec.restartPolicy", errors);
    }

    private static void completionMode(Fields spec, String path, FieldErrors errors) {
        List<String> modes = List.of("NonIndexed", "Indexed");
        String mode = spec.isAbsent("completionMode") ? modes.get(0) : spec.text("completionMode");
        if (!modes.contains(mode)) {
            errors.notSupported(path + ".completionMode", mode, modes);
        }
        if (mode.equals("Indexed")) {
            int parallelism = spec.number("parallelism", 0);
            if (parallelism > MOST_INDEXED_PARALLELISM) {
                errors.invalid(
                        path + ".parallelism",
                        parallelism,
                        "must be less than or equal to " + MOST_INDEXED_PARALLELISM
                                + " when completion mode is Indexed");
            }
            int failed = spec.number("maxFailedIndexes", 0);
            if (!spec.isAbsent("completions") && failed > spec.number("completions", 0)) {
                errors.invalid(path + ".maxFailedIndexes", failed, "must be less than or equal to completions");
            }
        } else if (mode.equals("NonIndexed")) {
            for (String field : List.of("backoffLimitPerIndex", "maxFailedIndexes")) {
                if (!spec.isAbsent(field)) {
                    errors.invalid(path + "." + field, spec.node().path(field), "requires indexed completion mode");
                }
            }
        }
    }

    private static void restartPolicyOfJob(Fields spec, String path, FieldErrors errors) {
        String policy = spec.struct("template").struct("spec").text("restartPolicy");
        if (policy.isEmpty() || policy.equals("Always")) {
            errors.required(path, "valid values: \"OnFailure\", \"Never\"");
        } else if (!List.of("OnFailure", "Never").contains(policy)) {
            errors.notSupported(path, policy, List.of("OnFailure", "Never"));
        } else if (!spec.isAbsent("podFailurePolicy") && !policy.equals("Never")) {
            errors.invalid(path, policy, "only \"Never\" is supported when podFailurePolicy is specified");
        }
    }

    void cronJob(NewObject cronJob, FieldErrors errors) {
        MetadataValidation.check(cronJob.metadata(), NameRules::subdomain, errors);
        Fields spec = cronJob.spec();
        schedule(spec.text("schedule"), errors);
        number(spec, "startingDeadlineSeconds", errors);
        List<String> policies = List.of("Allow", "Forbid", "Replace");
        if (!spec.isBlank("concurrencyPolicy") && !policies.contains(spec.text("concurrencyPolicy"))) {
            errors.notSupported("spec.concurrencyPolicy", spec.text("concurrencyPolicy"), policies);
        }
        Fields job = spec.struct("jobTemplate").struct("spec");
        jobSpec(job, "spec.jobTemplate.spec", errors);
        if (!job.isAbsent("selector")) {
            errors.invalid(
                    "spec.jobTemplate.spec.selector", job.node().path("selector"), "`selector` will be auto-generated");
        }
        number(spec, "successfulJobsHistoryLimit", errors);
        number(spec, "failedJobsHistoryLimit", errors);
        String name = cronJob.metadata().text("name");
        if (name.length() > LONGEST_CRON_JOB_NAME) {
            errors.invalid("metadata.name", name, "must be no more than " + LONGEST_CRON_JOB_NAME + " characters");
        }
    }

    private static void schedule(String schedule, FieldErrors errors) {
        List<String> fields = List.of(schedule.strip().split("\\s+", -1));
        if (schedule.isEmpty()) {
            errors.required("spec.schedule", "");
        } else if (!schedule.startsWith("@") && !schedule.contains("TZ=") && fields.size() != SCHEDULE_FIELDS) {
            errors.invalid(
                    "spec.schedule",
                    schedule,
                    String.format(
                            Locale.ROOT,
                            "expected exactly %d fields, found %d: [%s]",
                            SCHEDULE_FIELDS,
                            fields.size(),
                            String.join(" ", fields)));
        }
    }

    private static void number(Fields spec, String field, FieldErrors errors) {
        errors.nonNegative("spec." + field, spec.number(field, 0));
    }

    /** Validates the selector of a workload that must have one, and returns whether it is one. */
    private static boolean selector(Fields spec, String workload, String why, FieldErrors errors) {
        if (spec.isAbsent("selector")) {
            errors.required(SELECTOR, "");
            return true;
        }
        LabelValidation.selector(spec, "selector", SELECTOR, errors);
        empty(spec, workload, errors);
        if (!isSelector(spec.node().path("selector"))) {
            errors.invalid(SELECTOR, spec.node().path("selector"), why);
            return false;
        }
        return true;
    }

    private static void empty(Fields spec, String workload, FieldErrors errors) {
        JsonNode selector = spec.node().path("selector");
        boolean isEmpty = selector.path("matchLabels").isEmpty()
                && selector.path("matchExpressions").isEmpty();
        if (!spec.isAbsent("selector") && isEmpty) {
            errors.invalid(SELECTOR, selector, "empty selector is invalid for " + workload);
        }
    }

    private static boolean isSelector(JsonNode selector) {
        FieldErrors wrong = new FieldErrors();
        if (selector instanceof ObjectNode object) {
            LabelValidation.selector(Fields.of(object.objectNode().set("s", object)), "s", "s", wrong);
        }
        return wrong.count() == 0;
    }

    private static boolean matches(JsonNode selector, JsonNode labels) {
        if (!selector.isObject() || !hasAll(labels, selector.path("matchLabels"))) {
            return false;
        }
        for (JsonNode expression : selector.path("matchExpressions")) {
            JsonNode value = labels.path(expression.path("key").asText(""));
            Set<String> values = new HashSet<>();
            expression.path("values").forEach(each -> values.add(each.asText("")));
            boolean isThere = !Fields.isAbsent(value);
            boolean isMatched = switch (expression.path("operator").asText("")) {
                case "In" -> isThere && values.contains(value.asText(""));
                case "NotIn" -> !isThere || !values.contains(value.asText(""));
                case "Exists" -> isThere;
                default -> !isThere;
            };
            if (!isMatched) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasAll(JsonNode labels, JsonNode wanted) {
        for (Map.Entry<String, JsonNode> label : wanted.properties()) {
            JsonNode value = labels.path(label.getKey());
            if (Fields.isAbsent(value)
                    || !value.asText("").equals(label.getValue().asText(""))) {
                return false;
            }
        }
        return true;
    }

    private static JsonNode labelsOfTemplate(Fields spec) {
        return spec.node().path("template").path("metadata").path("labels");
    }

    private static JsonNode sorted(JsonNode labels) {
        if (!(labels instanceof ObjectNode object)) {
            return labels;
        }
        Map<String, JsonNode> byKey = new TreeMap<>();
        object.properties().forEach(label -> byKey.put(label.getKey(), label.getValue()));
        ObjectNode sorted = object.objectNode();
        sorted.setAll(byKey);
        return sorted;
    }

    private void template(Fields spec, String workload, boolean isSelected, FieldErrors errors) {
        templateSpec(spec, isSelected, errors);
        restartPolicy(spec, workload, errors);
    }

    private void templateSpec(Fields spec, boolean isSelected, FieldErrors errors) {
        JsonNode selector = spec.node().path("selector");
        JsonNode labels = labelsOfTemplate(spec);
        // A missing selector selects nothing, and an empty one selects everything.
        boolean isMatched = selector.isObject() && (selector.isEmpty() || matches(selector, labels));
        if (isSelected && !isMatched) {
            errors.invalid(TEMPLATE + ".metadata.labels", sorted(labels), NOT_MATCHED);
        }
        pods.template(spec.struct("template"), TEMPLATE, errors);
    }

    private static void restartPolicy(Fields spec, String workload, FieldErrors errors) {
        Fields template = spec.struct("template").struct("spec");
        if (!template.text("restartPolicy").equals("Always")) {
            errors.notSupported(TEMPLATE + ".spec.restartPolicy", template.text("restartPolicy"), List.of("Always"));
        }
        if (!template.isAbsent("activeDeadlineSeconds")) {
            errors.forbidden(
                    TEMPLATE + ".spec.activeDeadlineSeconds",
                    "activeDeadlineSeconds in " + workload + " is not Supported");
        }
    }
}
