// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;

/** The pods of jobs with their groups, and one job of a cron job. */
final class Jobs {
    private static final String JOB_NAME = "batch.kubernetes.io/job-name";
    private static final String CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    private static final String INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
    private static final String FINALIZER = "batch.kubernetes.io/job-tracking";
    private static final String CONTROLLER = "kubernetes.io/job-controller";
    /** The start time of a cron job's job, which is part of the job's name; any time works. */
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final OwnedPods pods;
    private final JobGroups groups;

    Jobs(OwnedPods pods, JobGroups groups) {
        this.pods = pods;
        this.groups = groups;
    }

    /** Creates the pods that a job lacks now, without the pods that follow when others have completed. */
    MadeObjects ofJob(ObjectNode job) {
        Fields spec = PodTemplate.specOf(job);
        String manager = spec.node().path("managedBy").asText(CONTROLLER);
        if (!manager.equals(CONTROLLER)) {
            return MadeObjects.none("managed by " + manager);
        }
        if (OwnedPods.hasCondition(job, "Complete") || OwnedPods.hasCondition(job, "Failed")) {
            return MadeObjects.none();
        }
        JobGroups.Preparation preparation = groups.of(job);
        MadeObjects made =
                preparation.whyNoPods().isEmpty() ? pods(job, spec) : MadeObjects.none(preparation.whyNoPods());
        made.objects().forEach(preparation::join);
        return made.after(preparation.made());
    }

    private MadeObjects pods(ObjectNode job, Fields spec) {
        ObjectKey key = ObjectKey.of(job);
        if (spec.node().path("suspend").asBoolean()) {
            return MadeObjects.none("suspended");
        }
        int succeeded =
                Math.max(job.path("status").path("succeeded").asInt(), pods.count(key, OwnedPods.State.SUCCEEDED));
        int wanted = wanted(spec, succeeded, pods.count(key, OwnedPods.State.ACTIVE));
        if (wanted == 0) {
            return succeeded > 0 ? MadeObjects.none() : MadeObjects.none("parallelism or completions: 0");
        }
        int missing = wanted - pods.count(key, OwnedPods.State.ACTIVE) - terminating(spec, key);
        ObjectNode labelled = labelled(job, spec);
        boolean isIndexed = spec.holds("completionMode", "Indexed");
        return MadeObjects.of(isIndexed ? indexed(labelled, spec, missing) : alike(labelled, missing));
    }

    private static int wanted(Fields spec, int succeeded, int active) {
        int parallelism = spec.number("parallelism", 1);
        if (spec.isAbsent("completions")) {
            // If only the parallelism is set, one success completes the job.
            return spec.isAbsent("parallelism") ? Math.max(0, 1 - succeeded) : succeeded > 0 ? active : parallelism;
        }
        return Math.max(0, Math.min(parallelism, spec.number("completions", 1) - succeeded));
    }

    private int terminating(Fields spec, ObjectKey key) {
        boolean onlyReplacesFailed = spec.isAbsent("podReplacementPolicy")
                ? !spec.isAbsent("podFailurePolicy")
                : spec.holds("podReplacementPolicy", "Failed");
        return onlyReplacesFailed ? pods.count(key, OwnedPods.State.TERMINATING) : 0;
    }

    // The API server adds the labels to the template; a job that was read from it has them already.
    private static ObjectNode labelled(ObjectNode job, Fields spec) {
        ObjectNode copy = job.deepCopy();
        Fields metadata = Fields.of(PodTemplate.of(copy).node()).struct("metadata");
        if (!spec.node().path("manualSelector").asBoolean()) {
            Fields labels = metadata.struct("labels");
            String uid = job.path("metadata").path("uid").asText();
            String name = job.path("metadata").path("name").asText();
            labels.whenAbsent(CONTROLLER_UID, uid);
            labels.whenAbsent("controller-uid", uid);
            labels.whenAbsent(JOB_NAME, name);
            labels.whenAbsent("job-name", name);
        }
        boolean isTracked = false;
        for (JsonNode finalizer : metadata.list("finalizers")) {
            isTracked |= finalizer.asText("").equals(FINALIZER);
        }
        if (!isTracked) {
            metadata.list("finalizers").add(FINALIZER);
        }
        return copy;
    }

    private List<ObjectNode> alike(ObjectNode job, int missing) {
        ObjectKey key = ObjectKey.of(job);
        PodTemplate template = PodTemplate.of(job);
        Set<String> names = names(key);
        List<ObjectNode> made = new ArrayList<>();
        for (int seed = 0; made.size() < missing; seed++) {
            String name = GeneratedNames.name(template.prefix(), key.namespace() + "/" + seed);
            if (names.add(name)) {
                made.add(template.pod(template.prefix(), name));
            }
        }
        return made;
    }

    private Set<String> names(ObjectKey job) {
        Set<String> names = new HashSet<>();
        pods.of(job).forEach(pod -> names.add(pod.name()));
        return names;
    }

    private List<ObjectNode> indexed(ObjectNode job, Fields spec, int missing) {
        ObjectKey key = ObjectKey.of(job);
        PodTemplate template = PodTemplate.of(job);
        Fields podSpec = PodTemplate.specOf(template.node());
        podSpec.each("initContainers").forEach(Jobs::addIndexVariable);
        podSpec.each("containers").forEach(Jobs::addIndexVariable);
        BitSet taken = indexes(job.path("status").path("completedIndexes").asText(""));
        taken.or(indexes(job.path("status").path("failedIndexes").asText("")));
        for (OwnedPods.OwnedPod pod : pods.of(key)) {
            if (pod.index() >= 0 && pod.state() != OwnedPods.State.FAILED) {
                taken.set(pod.index());
            }
        }
        Set<String> names = names(key);
        List<ObjectNode> made = new ArrayList<>();
        int completions = spec.number("completions", 1);
        for (int index = taken.nextClearBit(0);
                index < completions && made.size() < missing;
                index = taken.nextClearBit(index + 1)) {
            made.add(indexedPod(template, spec, key, index, names));
        }
        return made;
    }

    private static ObjectNode indexedPod(
            PodTemplate template, Fields spec, ObjectKey job, int index, Set<String> names) {
        String prefix = job.name() + "-" + index + "-";
        String name = GeneratedNames.name(prefix, job.namespace());
        for (int seed = 0; !names.add(name); seed++) {
            name = GeneratedNames.name(prefix, job.namespace() + "/" + seed);
        }
        ObjectNode pod = template.pod(prefix, name);
        Fields metadata = Fields.of(pod).struct("metadata");
        metadata.struct("labels").node().put(INDEX, String.valueOf(index));
        ObjectNode annotations = metadata.struct("annotations").node();
        annotations.put(INDEX, String.valueOf(index));
        if (!spec.isAbsent("backoffLimitPerIndex")) {
            annotations.put("batch.kubernetes.io/job-index-failure-count", "0");
        }
        pod.withObject("/spec").put("hostname", job.name() + "-" + index);
        return pod;
    }

    private static void addIndexVariable(Fields container) {
        for (Fields variable : container.each("env")) {
            if (variable.holds("name", INDEX_VARIABLE)) {
                return;
            }
        }
        container
                .list("env")
                .addObject()
                .put("name", INDEX_VARIABLE)
                .putObject("valueFrom")
                .putObject("fieldRef")
                .put("fieldPath", "metadata.labels['" + INDEX + "']");
    }

    // Such as 0-2,5
    private static BitSet indexes(String ranges) {
        BitSet indexes = new BitSet();
        for (String range : ranges.split(",", -1)) {
            if (range.matches("[0-9]{1,9}(-[0-9]{1,9})?")) {
                String[] ends = range.split("-", -1);
                indexes.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
            }
        }
        return indexes;
    }

    /**
     * Makes the next job of a cron job, and its pods.
     *
     * @param isDue whether it is time for the job
     */
    MadeObjects ofCronJob(ObjectNode cronJob, boolean isDue) {
        Fields spec = PodTemplate.specOf(cronJob);
        if (spec.node().path("suspend").asBoolean()) {
            return MadeObjects.none("suspended");
        }
        if (!isDue) {
            return MadeObjects.none("waits for its schedule");
        }
        boolean isBusy = !cronJob.path("status").path("active").isEmpty();
        if (isBusy && spec.holds("concurrencyPolicy", "Forbid")) {
            return MadeObjects.none("its last job is still active");
        }
        ObjectNode job = job(cronJob, spec);
        return ofJob(job).after(List.of(job)).withTemplatePath("spec.jobTemplate.spec.template");
    }

    private static ObjectNode job(ObjectNode cronJob, Fields spec) {
        ObjectKey key = ObjectKey.of(cronJob);
        Fields template = spec.pointer("jobTemplate")
                .orElseThrow(() -> spec.wrong("jobTemplate", spec.node().path("jobTemplate"), "a template of a job"));
        ObjectNode job = JsonNodeFactory.instance.objectNode();
        job.put("apiVersion", "batch/v1").put("kind", "Job");
        ObjectNode metadata = job.putObject("metadata");
        metadata.put(
                        "name",
                        key.name() + "-"
                                + Duration.between(Instant.EPOCH, START).toMinutes())
                .put("namespace", key.namespace());
        metadata.put("uid", ObjectKey.of(job).derivedUid());
        for (String field : List.of("labels", "annotations")) {
            JsonNode value = template.node().path("metadata").path(field);
            if (!Fields.isAbsent(value)) {
                metadata.set(field, value.deepCopy());
            }
        }
        Fields.of(job)
                .struct("metadata")
                .struct("annotations")
                .node()
                .put("batch.kubernetes.io/cronjob-scheduled-timestamp", scheduledTime(spec));
        OwnerReferences.addController(metadata, cronJob);
        job.set("spec", template.struct("spec").node().deepCopy());
        return job;
    }

    private static String scheduledTime(Fields spec) {
        String zone = spec.node().path("timeZone").asText("");
        return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                START.atZone(ZoneId.getAvailableZoneIds().contains(zone) ? ZoneId.of(zone) : ZoneOffset.UTC));
    }
}
