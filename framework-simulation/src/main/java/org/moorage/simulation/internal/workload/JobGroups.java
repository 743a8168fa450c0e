// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;

/**
 * The objects that the job controller creates for a job in addition to pods: the group of the pods, and the workload
 * that defines the group.
 */
final class JobGroups {
    /**
     * Names the template of a job's group in the workload of the job's controller, which lets the job create the group.
     */
    private static final String TEMPLATE_NAME = "scheduling.k8s.io/group-template-name";

    private static final String GROUP = "scheduling.k8s.io";
    private static final String API_VERSION = GROUP + "/v1beta1";
    private static final String WORKLOAD = "Workload";
    private static final String POD_GROUP = "PodGroup";
    private static final String TEMPLATES = "podGroupTemplates";
    private static final int LONGEST_NAME = 253;

    private final OwnedPods pods;
    private final boolean isOn;
    private final Map<ObjectKey, List<ObjectNode>> workloadsByController = new HashMap<>();
    private final Map<ObjectKey, List<ObjectNode>> groupsByWorkload = new HashMap<>();

    /**
     * Creates the groups of a cluster without objects; {@link #seen} adds them.
     *
     * @param isOn whether the controller creates groups
     */
    JobGroups(OwnedPods pods, boolean isOn) {
        this.pods = pods;
        this.isOn = isOn;
    }

    /**
     * The objects that must exist before the pods of a job are created.
     *
     * @param made those that do not exist yet
     * @param group the group that the pods will be in, if they will be in one
     * @param whyNoPods why the job has no pods; empty if it has some
     */
    record Preparation(List<ObjectNode> made, Optional<ObjectNode> group, String whyNoPods) {
        static final Preparation NONE = new Preparation(List.of(), Optional.empty(), "");

        /** Puts a pod into the group. */
        void join(ObjectNode pod) {
            if (group.isPresent()) {
                pod.withObject("/spec/schedulingGroup")
                        .put("podGroupName", ObjectKey.of(group.get()).name());
                addOwner(pod, group.get());
            }
        }
    }

    /** Takes note of a workload or group. */
    void seen(ObjectNode object) {
        if (!isOn) {
            return;
        }
        ObjectKey key = ObjectKey.of(object);
        JsonNode spec = object.path("spec");
        if (key.kind().equals(WORKLOAD)) {
            JsonNode controller = spec.path("controllerRef");
            ObjectKey controllerKey = new ObjectKey(
                    controller.path("apiGroup").asText(""),
                    controller.path("kind").asText(""),
                    key.namespace(),
                    controller.path("name").asText(""));
            workloadsByController
                    .computeIfAbsent(controllerKey, any -> new ArrayList<>())
                    .add(object);
        } else if (key.kind().equals(POD_GROUP)) {
            ObjectKey workload = new ObjectKey(
                    GROUP,
                    WORKLOAD,
                    key.namespace(),
                    spec.path("workloadRef").path("workloadName").asText(""));
            groupsByWorkload.computeIfAbsent(workload, any -> new ArrayList<>()).add(object);
        }
    }

    /** Returns what the controller creates for an unfinished job before its pods. */
    Preparation of(ObjectNode job) {
        if (!isOn) {
            return Preparation.NONE;
        }
        Fields spec = PodTemplate.specOf(job);
        int parallelism = spec.number("parallelism", 1);
        if (gang(spec).map(gang -> gang.number("minCount", 0)).orElse(0) > parallelism) {
            return refused("refused by the API server: spec.scheduling.schedulingPolicy.gang.minCount: must not be"
                    + " greater than parallelism (" + parallelism + ")");
        }
        JsonNode podSpec = PodTemplate.of(job).node().path("spec");
        if (!Fields.isAbsent(podSpec.path("schedulingGroup"))) {
            return Preparation.NONE;
        }
        Optional<ObjectKey> controller = OwnedPods.controllerOf(job);
        if (controller.isEmpty()) {
            return ofJobAlone(job);
        }
        JsonNode template = job.path("metadata").path("annotations").path(TEMPLATE_NAME);
        return template.isTextual() ? ofControlledJob(job, controller.get(), template.textValue()) : Preparation.NONE;
    }

    private static Preparation refused(String why) {
        return new Preparation(List.of(), Optional.empty(), why);
    }

    private static Optional<Fields> gang(Fields spec) {
        return spec.pointer("scheduling")
                .flatMap(scheduling -> scheduling.pointer("schedulingPolicy"))
                .flatMap(policy -> policy.pointer("gang"));
    }

    private Preparation ofJobAlone(ObjectNode job) {
        ObjectKey key = ObjectKey.of(job);
        List<ObjectNode> known = controlledBy(key, workloadsByController.getOrDefault(key, List.of()));
        List<ObjectNode> made = new ArrayList<>();
        if (known.isEmpty() && hasNeverStarted(job)) {
            made.add(workload(job));
        }
        if (known.size() + made.size() != 1) {
            return Preparation.NONE;
        }
        ObjectNode workload = known.isEmpty() ? made.get(0) : known.get(0);
        JsonNode templates = workload.path("spec").path(TEMPLATES);
        if (templates.size() != 1) {
            return refused(
                    ObjectKey.of(workload).title() + " has " + templates.size() + " " + TEMPLATES + ", and not 1");
        }
        List<ObjectNode> groups = groupsOf(workload, key);
        if (groups.isEmpty() && hasNeverStarted(job)) {
            ObjectNode group = group(job, workload, templates.path(0));
            addOwner(group, workload);
            made.add(group);
            groups = List.of(group);
        }
        return new Preparation(made, groups.size() == 1 ? Optional.of(groups.get(0)) : Optional.empty(), "");
    }

    private Preparation ofControlledJob(ObjectNode job, ObjectKey controller, String templateName) {
        ObjectKey key = ObjectKey.of(job);
        List<ObjectNode> workloads = workloadsByController.getOrDefault(controller, List.of());
        if (workloads.isEmpty()) {
            return Preparation.NONE;
        }
        ObjectNode workload = workloads.get(0);
        for (JsonNode template : workload.path("spec").path(TEMPLATES)) {
            if (template.path("name").asText("").equals(templateName)) {
                List<ObjectNode> groups = groupsOf(workload, key);
                if (!groups.isEmpty()) {
                    return new Preparation(List.of(), Optional.of(groups.get(0)), "");
                }
                if (hasNeverStarted(job)) {
                    ObjectNode group = group(job, workload, template);
                    return new Preparation(List.of(group), Optional.of(group), "");
                }
            }
        }
        return Preparation.NONE;
    }

    // A job that started before the controller created groups continues without one.
    private boolean hasNeverStarted(ObjectNode job) {
        JsonNode status = job.path("status");
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asText("").equals("Suspended")) {
                return false;
            }
        }
        return pods.of(ObjectKey.of(job)).isEmpty()
                && Fields.isAbsent(status.path("startTime"))
                && status.path("succeeded").asInt() == 0
                && status.path("failed").asInt() == 0;
    }

    private List<ObjectNode> groupsOf(ObjectNode workload, ObjectKey job) {
        return controlledBy(job, groupsByWorkload.getOrDefault(ObjectKey.of(workload), List.of()));
    }

    private static List<ObjectNode> controlledBy(ObjectKey controller, List<ObjectNode> objects) {
        return objects.stream()
                .filter(object -> OwnedPods.controllerOf(object).equals(Optional.of(controller)))
                .toList();
    }

    private static ObjectNode workload(ObjectNode job) {
        ObjectKey key = ObjectKey.of(job);
        Fields spec = PodTemplate.specOf(job);
        // The controller hashes the Go text form of a value of type UID.
        String hash = GeneratedNames.hash(
                "(types.UID)" + job.path("metadata").path("uid").asText());
        ObjectNode workload =
                controlled(WORKLOAD, start(key.name(), LONGEST_NAME - hash.length() - 1) + "-" + hash, job);
        ObjectNode workloadSpec = workload.putObject("spec");
        workloadSpec
                .putObject("controllerRef")
                .put("apiGroup", key.group())
                .put("kind", key.kind())
                .put("name", key.name());
        ObjectNode template = workloadSpec.putArray(TEMPLATES).addObject().put("name", key.name() + "-pgt-0");
        ObjectNode policy = template.putObject("schedulingPolicy");
        Optional<Fields> gang = gang(spec);
        if (gang.isPresent()) {
            int minCount = gang.get().number("minCount", Math.max(1, spec.number("parallelism", 1)));
            policy.putObject("gang").put("minCount", minCount);
        } else {
            policy.putObject("basic");
        }
        spec.pointer("scheduling")
                .ifPresent(scheduling -> copy(
                        scheduling.node(),
                        template,
                        List.of("schedulingConstraints", "disruptionMode", "resourceClaims")));
        copy(PodTemplate.of(job).node().path("spec"), template, List.of("priorityClassName"));
        return workload;
    }

    private static ObjectNode group(ObjectNode job, ObjectNode workload, JsonNode template) {
        String workloadName = ObjectKey.of(workload).name();
        String templateName = template.path("name").asText("");
        ObjectNode group = controlled(POD_GROUP, groupName(workloadName, templateName), job);
        ObjectNode spec = group.putObject("spec");
        spec.putObject("workloadRef").put("workloadName", workloadName).put("templateName", templateName);
        copy(
                template,
                spec,
                List.of(
                        "schedulingPolicy",
                        "schedulingConstraints",
                        "disruptionMode",
                        "resourceClaims",
                        "priorityClassName",
                        "priority"));
        return group;
    }

    // If both are long, each gets half of the characters that the hash leaves.
    private static String groupName(String workload, String template) {
        String hash = GeneratedNames.hash(workload + template);
        int most = LONGEST_NAME - hash.length() - 2;
        int half = most / 2;
        int ofWorkload = template.length() <= half ? most - template.length() : most - half;
        String first = workload.length() <= half ? workload : start(workload, ofWorkload);
        return first + "-" + start(template, most - first.length()) + "-" + hash;
    }

    private static String start(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most);
    }

    private static ObjectNode controlled(String kind, String name, ObjectNode job) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", API_VERSION).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("name", name).put("namespace", ObjectKey.of(job).namespace());
        metadata.put("uid", ObjectKey.of(object).derivedUid());
        OwnerReferences.addController(metadata, job);
        return object;
    }

    private static void addOwner(ObjectNode object, ObjectNode owner) {
        object.withObject("/metadata")
                .withArray("ownerReferences")
                .addObject()
                .put("apiVersion", API_VERSION)
                .put("kind", owner.path("kind").asText())
                .put("name", owner.path("metadata").path("name").asText())
                .put("uid", owner.path("metadata").path("uid").asText());
    }

    private static void copy(JsonNode from, ObjectNode to, List<String> fields) {
        for (String field : fields) {
            JsonNode value = from.path(field);
            if (!Fields.isAbsent(value)) {
                to.set(field, value.deepCopy());
            }
        }
    }
}
