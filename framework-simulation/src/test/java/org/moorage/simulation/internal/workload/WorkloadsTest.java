// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.tree.ClusterFiles;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;

class WorkloadsTest {
    private static final String TEMPLATE = """
              selector: {matchLabels: {app: x}}
              template:
                metadata: {labels: {app: x}, annotations: {note: text}, finalizers: [example.org/f]}
                spec:
                  containers: [{name: c, image: i}]
            """;

    private static final String JOB_TEMPLATE = """
              template:
                metadata: {labels: {app: x}}
                spec:
                  restartPolicy: Never
                  containers: [{name: c, image: i}]
            """;

    private static final String NODES = """
            {apiVersion: v1, kind: Node, metadata: {name: a, labels: {disk: ssd}}}
            ---
            {apiVersion: v1, kind: Node, metadata: {name: b}, spec: {taints: [{key: t, effect: NoSchedule}]}}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: c}
            spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}
            ---
            """;

    private static final String READY = "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}\n";

    private static String workload(String apiVersion, String kind, String spec) {
        return "apiVersion: " + apiVersion + "\nkind: " + kind
                + "\nmetadata: {name: w, namespace: team, uid: w-uid}\nspec:\n" + spec;
    }

    private static String deployment(String spec) {
        return workload("apps/v1", "Deployment", spec + TEMPLATE);
    }

    private static String job(String spec) {
        return workload("batch/v1", "Job", spec + JOB_TEMPLATE);
    }

    private static String pod(String name, String owner, String rest) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: team
                  ownerReferences: [{%s, name: w, uid: w-uid, controller: true}]
                """.formatted(name, owner) + rest;
    }

    private static String owner(String apiVersion, String kind) {
        return "apiVersion: " + apiVersion + ", kind: " + kind;
    }

    /** The created objects, with the random suffixes of names as {@code *}. */
    record Case(String name, String text, List<String> made, String whyNone) {
        static Case makes(String name, String text, String... made) {
            return new Case(name, text, List.of(made), "");
        }

        static Case none(String name, String text, String why) {
            return new Case(name, text, List.of(), why);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(deployments(), statefulSets(), daemonSets(), jobs()).flatMap(List::stream);
    }

    private static List<Case> deployments() {
        String replicaSet = owner("apps/v1", "ReplicaSet");
        return List.of(
                Case.makes("a deployment has one pod", deployment(""), "ReplicaSet w-*", "Pod w-*-*"),
                Case.makes("or some", deployment("  replicas: 2\n"), "ReplicaSet w-*", "Pod w-*-*", "Pod w-*-*"),
                Case.none("or none", deployment("  replicas: 0\n"), "replicas: 0"),
                Case.none("or is paused", deployment("  paused: true\n"), "paused"),
                Case.none(
                        "a selector that selects other pods",
                        deployment("").replace("matchLabels: {app: x}", "matchLabels: {app: 'y'}"),
                        "refused by the API server: spec.selector does not select the pods of the template"),
                Case.makes(
                        "its replica set is there, and makes the pods",
                        deployment("") + "---\napiVersion: apps/v1\nkind: ReplicaSet\n"
                                + "metadata: {name: w-1, namespace: team, ownerReferences: "
                                + "[{apiVersion: apps/v1, kind: Deployment, name: w, controller: true}]}\nspec:\n"
                                + TEMPLATE),
                Case.makes(
                        "one of its pods is there, and the replica set is not",
                        deployment("  replicas: 2\n")
                                + pod("w-55b-1", replicaSet, "  labels: {pod-template-hash: 55b}\n")
                                        .replace("name: w,", "name: w-55b,"),
                        "ReplicaSet w-55b",
                        "Pod w-55b-*"),
                Case.makes(
                        "a replica set",
                        workload("apps/v1", "ReplicaSet", "  replicas: 2\n" + TEMPLATE),
                        "Pod w-*",
                        "Pod w-*"),
                Case.makes(
                        "with a pod that runs, one that ended and one that leaves",
                        workload("apps/v1", "ReplicaSet", "  replicas: 2\n" + TEMPLATE)
                                + pod("w-1", replicaSet, "status: {phase: Running}\n")
                                + pod("w-2", replicaSet, "status: {phase: Failed}\n")
                                + pod("w-3", replicaSet, "  deletionTimestamp: 2026-01-01T00:00:00Z\n"),
                        "Pod w-*"),
                Case.none(
                        "for which the API server refuses pods",
                        workload("apps/v1", "ReplicaSet", TEMPLATE)
                                + "status: {conditions: [{type: ReplicaFailure, status: 'True'}]}\n",
                        "its status says that the API server refuses them"),
                Case.makes(
                        "with more pods than it wants",
                        workload("apps/v1", "ReplicaSet", TEMPLATE)
                                + pod("w-1", replicaSet, "")
                                + pod("w-2", replicaSet, "")),
                Case.makes(
                        "a replication controller",
                        workload("v1", "ReplicationController", JOB_TEMPLATE.replace("Never", "Always")),
                        "Pod w-*"));
    }

    private static List<Case> statefulSets() {
        String claims = "  volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]\n";
        String owner = owner("apps/v1", "StatefulSet");
        return List.of(
                Case.makes(
                        "a stateful set",
                        workload("apps/v1", "StatefulSet", "  replicas: 2\n" + TEMPLATE + claims),
                        "PersistentVolumeClaim data-w-0",
                        "Pod w-0",
                        "PersistentVolumeClaim data-w-1",
                        "Pod w-1"),
                Case.makes(
                        "that starts at another ordinal, with a pod and a claim",
                        workload(
                                        "apps/v1",
                                        "StatefulSet",
                                        "  replicas: 2\n  ordinals: {start: 5}\n" + TEMPLATE + claims)
                                + pod("w-5", owner, "spec: {nodeName: a}\n" + READY)
                                + "---\napiVersion: v1\nkind: PersistentVolumeClaim\n"
                                + "metadata: {name: data-w-6, namespace: team}\n",
                        "Pod w-6"),
                Case.makes(
                        "whose first pod is ready",
                        workload("apps/v1", "StatefulSet", "  replicas: 2\n" + TEMPLATE) + pod("w-0", owner, READY),
                        "Pod w-1"),
                Case.makes(
                        "whose first pod is not ready, so that the others wait",
                        workload("apps/v1", "StatefulSet", "  replicas: 3\n" + TEMPLATE)
                                + pod("w-0", owner, "status: {phase: Running}\n")),
                Case.makes(
                        "whose pods do not wait for each other",
                        workload(
                                        "apps/v1",
                                        "StatefulSet",
                                        "  replicas: 2\n  podManagementPolicy: Parallel\n" + TEMPLATE)
                                + pod("w-0", owner, "status: {phase: Running}\n"),
                        "Pod w-1"),
                Case.makes(
                        "whose pod waits without its claim",
                        workload("apps/v1", "StatefulSet", TEMPLATE + claims) + pod("w-0", owner, ""),
                        "PersistentVolumeClaim data-w-0"),
                Case.none(
                        "without replicas",
                        workload("apps/v1", "StatefulSet", "  replicas: 0\n" + TEMPLATE),
                        "replicas: 0"));
    }

    private static List<Case> daemonSets() {
        String set = workload("apps/v1", "DaemonSet", TEMPLATE);
        String owner = owner("apps/v1", "DaemonSet");
        return List.of(
                Case.makes("a daemon set, on nodes that its pods tolerate", NODES + set, "Pod w-*", "Pod w-*"),
                Case.makes(
                        "with a node selector",
                        NODES + set.replace("    spec:\n", "    spec:\n      nodeSelector: {disk: ssd}\n"),
                        "Pod w-*"),
                Case.makes(
                        "with a running and a pending pod",
                        NODES + set + pod("w-1", owner, "spec: {nodeName: a}\n") + pod("w-2", owner, """
                                        spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
                                         {nodeSelectorTerms: [{matchFields:
                                          [{key: metadata.name, operator: In, values: [c]}]}]}}}}
                                        """)),
                Case.none("without nodes", set, "no node among the objects is one for it"));
    }

    private static List<Case> jobs() {
        String owner = owner("batch/v1", "Job");
        String indexed = "  completions: 4\n  parallelism: 2\n  completionMode: Indexed\n";
        String cronJob = workload(
                "batch/v1",
                "CronJob",
                "  jobTemplate:\n    spec:\n" + JOB_TEMPLATE.indent(4) + "  schedule: '@daily'\n");
        return List.of(
                Case.makes("a job", job(""), "Pod w-*"),
                Case.makes("with parallelism", job("  completions: 3\n  parallelism: 2\n"), "Pod w-*", "Pod w-*"),
                Case.makes("with parallelism alone", job("  parallelism: 2\n"), "Pod w-*", "Pod w-*"),
                Case.makes("of which one is left to complete", job("""
                          completions: 3
                          parallelism: 2
                        """) + "status: {succeeded: 2}\n", "Pod w-*"),
                Case.makes(
                        "with a pod that runs and one that succeeded",
                        job("  completions: 3\n  parallelism: 3\n")
                                + pod("w-1", owner, "status: {phase: Running}\n")
                                + pod("w-2", owner, "status: {phase: Succeeded}\n"),
                        "Pod w-*"),
                Case.makes("that is complete", job("") + "status: {conditions: [{type: Complete, status: 'True'}]}\n"),
                Case.none("that is suspended", job("  suspend: true\n"), "suspended"),
                Case.none("without parallelism", job("  parallelism: 0\n"), "parallelism or completions: 0"),
                Case.none(
                        "of another controller",
                        job("  managedBy: example.org/queue\n"),
                        "managed by example.org/queue"),
                Case.makes("an indexed job", job(indexed), "Pod w-0-*", "Pod w-1-*"),
                Case.makes(
                        "of which an index has completed and one is under way",
                        job(indexed) + "status: {succeeded: 1, completedIndexes: '1'}\n"
                                + pod(
                                        "w-0-a",
                                        owner,
                                        "  annotations: " + "{batch.kubernetes.io/job-completion-index: '0'}\n"),
                        "Pod w-2-*"),
                Case.makes("a cron job", cronJob, "Job w-29453760", "Pod w-29453760-*"),
                Case.none("that is suspended", cronJob + "  suspend: true\n", "suspended"),
                Case.none(
                        "that has a job, and must not have two",
                        cronJob + "  concurrencyPolicy: Forbid\nstatus: {active: [{name: w-1}]}\n",
                        "its last job is still active"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void makesWhatIsMissing(Case given) {
        MadeObjects made = made(given.text(), true);

        List<String> titles = new ArrayList<>();
        for (ObjectNode object : made.objects()) {
            ObjectKey key = ObjectKey.of(object);
            assertThat(key.namespace()).isEqualTo("team");
            titles.add(key.kind() + " " + key.name());
        }
        assertThat(titles).hasSameSizeAs(given.made()).doesNotHaveDuplicates();
        for (int i = 0; i < titles.size(); i++) {
            assertThat(titles.get(i)).matches(given.made().get(i).replace("*", "[a-z0-9]{5,10}"));
        }
        assertThat(made.whyNone()).isEqualTo(given.whyNone());
        assertThat(made(given.text(), true)).isEqualTo(made);
    }

    /**
     * A workload whose pods are too many, or of another template.
     *
     * @param deleted the names of the pods that are deleted, in order
     */
    record Scaled(String name, String text, List<String> made, List<String> deleted) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Scaled> scaled() {
        String replicaSet = owner("apps/v1", "ReplicaSet");
        String statefulSet = owner("apps/v1", "StatefulSet");
        String running = "spec: {nodeName: a}\n" + READY;
        String first = workload("apps/v1", "ReplicaSet", TEMPLATE);
        return Stream.of(
                new Scaled(
                        "a replica set loses the pods without a node first",
                        first + pod("w-1", replicaSet, running) + pod("w-2", replicaSet, ""),
                        List.of(),
                        List.of("w-2")),
                new Scaled(
                        "then those that do not run, and those that are not ready",
                        first
                                + pod("w-1", replicaSet, running)
                                + pod("w-2", replicaSet, "spec: {nodeName: a}\nstatus: {phase: Running}\n")
                                + pod("w-3", replicaSet, "spec: {nodeName: a}\nstatus: {phase: Pending}\n"),
                        List.of(),
                        List.of("w-3", "w-2")),
                new Scaled(
                        "then those with a low deletion cost, and those with the most pods on their node",
                        workload("apps/v1", "ReplicaSet", "  replicas: 2\n" + TEMPLATE)
                                + pod("w-1", replicaSet, "spec: {nodeName: b}\n" + READY)
                                + pod("w-2", replicaSet, running)
                                + pod("w-3", replicaSet, running)
                                + pod(
                                        "w-4",
                                        replicaSet,
                                        "  annotations: {controller.kubernetes.io/pod-deletion-cost: '-5'}\n"
                                                + "spec: {nodeName: b}\n" + READY)
                                + pod(
                                        "w-5",
                                        replicaSet,
                                        "  annotations: " + "{controller.kubernetes.io/pod-deletion-cost: '5'}\n"
                                                + running),
                        List.of(),
                        List.of("w-4", "w-[23]", "w-[23]")),
                new Scaled(
                        "then those that are ready for the shortest time",
                        first + pod("w-1", replicaSet, since("12:00:00")) + pod("w-2", replicaSet, since("13:00:00")),
                        List.of(),
                        List.of("w-2")),
                new Scaled(
                        "a replica set of none",
                        workload("apps/v1", "ReplicaSet", "  replicas: 0\n" + TEMPLATE)
                                + pod("w-1", replicaSet, running),
                        List.of(),
                        List.of("w-1")),
                new Scaled(
                        "a stateful set loses the last ordinals",
                        workload("apps/v1", "StatefulSet", TEMPLATE)
                                + pod("w-0", statefulSet, running)
                                + pod("w-1", statefulSet, running)
                                + pod("w-other", statefulSet, running),
                        List.of(),
                        List.of("w-1")));
    }

    private static String since(String time) {
        return "  creationTimestamp: 2026-01-01T12:00:00Z\nspec: {nodeName: a}\nstatus: {phase: Running, conditions: "
                + "[{type: Ready, status: 'True', lastTransitionTime: 2026-01-01T" + time + "Z}]}\n";
    }

    @ParameterizedTest
    @MethodSource("scaled")
    void deletesWhatIsTooMany(Scaled given) {
        MadeObjects made = made(given.text(), true);

        assertThat(made.objects())
                .extracting(object -> ObjectKey.of(object).name())
                .isEqualTo(given.made());
        assertThat(made.deleted()).extracting(ObjectKey::name).hasSameSizeAs(given.deleted());
        for (int i = 0; i < given.deleted().size(); i++) {
            assertThat(made.deleted().get(i).name()).matches(given.deleted().get(i));
        }
    }

    /**
     * A deployment of five pods with replica sets.
     *
     * @param made what its replica sets, or the new one, are made to have, by the start of the pods' names
     * @param deleted how many pods are deleted, by the start of their names
     */
    record Rollout(String name, String text, Map<String, Integer> made, Map<String, Integer> deleted) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Rollout> rollouts() {
        String same = TEMPLATE.replace("{name: c, image: i}", "{name: c, image: i, imagePullPolicy: Always}");
        String other = TEMPLATE.replace("image: i", "image: former");
        return Stream.of(
                new Rollout("one that was scaled up", set("w-1", 2, 2, same), Map.of("w-1-", 3), Map.of()),
                new Rollout("or down", set("w-1", 7, 7, same), Map.of(), Map.of("w-1-", 2)),
                new Rollout(
                        "one with a former replica set",
                        set("w-1", 0, 0, other) + set("w-2", 2, 2, same),
                        Map.of("w-2-", 3),
                        Map.of()),
                new Rollout(
                        "one with another template",
                        set("w-1", 5, 5, other),
                        Map.of("w-[a-z0-9]{8,10}-", 5),
                        Map.of("w-1-", 5)),
                new Rollout(
                        "one with replica sets that a dump shows alike",
                        set("w-1", 0, 0, same).replace("desired-replicas: '5'", "desired-replicas: '2'")
                                + set("w-2", 4, 4, same),
                        Map.of("w-2-", 1),
                        Map.of()),
                new Rollout(
                        "one that is being rolled out stays as it is",
                        set("w-1", 3, 3, other) + set("w-2", 3, 2, same),
                        Map.of("w-2-", 1),
                        Map.of()),
                new Rollout(
                        "and is scaled by what it was scaled by",
                        (set("w-1", 3, 3, other) + set("w-2", 3, 3, same))
                                .replace("desired-replicas: '5'", "desired-replicas: '4'"),
                        Map.of("w-2-", 1),
                        Map.of()),
                new Rollout(
                        "the former pods first",
                        (set("w-1", 3, 3, other) + set("w-2", 3, 3, same))
                                .replace("desired-replicas: '5'", "desired-replicas: '7'"),
                        Map.of(),
                        Map.of("w-1-", 2)));
    }

    private static String set(String name, int replicas, int pods, String template) {
        StringBuilder text = new StringBuilder("---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata:\n  name: " + name
                + "\n  namespace: team\n  annotations: {deployment.kubernetes.io/desired-replicas: '5'}\n  ownerReferences: "
                + "[{apiVersion: apps/v1, kind: Deployment, name: w, controller: true}]\nspec:\n  replicas: " + replicas
                + "\n" + template.replace("{app: x}", "{app: x, pod-template-hash: '1'}"));
        for (int i = 0; i < pods; i++) {
            text.append(pod(name + "-" + i, owner("apps/v1", "ReplicaSet"), "spec: {nodeName: a}\n" + READY)
                    .replace("name: w,", "name: " + name + ","));
        }
        return text.toString();
    }

    @ParameterizedTest
    @MethodSource("rollouts")
    void givesReplicaSetsWhatTheirDeploymentWants(Rollout given) {
        String text = deployment("  replicas: 5\n") + given.text();
        List<ObjectNode> objects = ClusterFiles.read(List.of("-"), new ByteArrayInputStream(text.getBytes(UTF_8)));
        Workloads workloads = new Workloads(FeatureGates.DEFAULTS, false);
        objects.forEach(workloads::seen);

        List<String> made = new ArrayList<>();
        List<String> deleted = new ArrayList<>();
        for (ObjectNode object : objects) {
            if (Workloads.isWorkload(object)) {
                MadeObjects ofObject = workloads.make(object, List.of());
                ofObject.objects().stream()
                        .map(ObjectKey::of)
                        .filter(ObjectKey::isPod)
                        .forEach(key -> made.add(key.name()));
                ofObject.deleted().forEach(key -> deleted.add(key.name()));
            }
        }

        assertCounts(made, given.made());
        assertCounts(deleted, given.deleted());
    }

    private static void assertCounts(List<String> names, Map<String, Integer> expected) {
        expected.forEach((start, count) ->
                assertThat(names).filteredOn(name -> name.matches(start + ".*")).hasSize(count));
        assertThat(names)
                .hasSize(expected.values().stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void startsCronJobsOnRequestOnly() {
        String cronJob = workload("batch/v1", "CronJob", "  jobTemplate: {}\n");

        assertThat(made(cronJob, false).whyNone()).isEqualTo("waits for its schedule");
    }

    @Test
    void refusesAWorkloadWithoutATemplate() {
        assertThatThrownBy(() -> made(workload("batch/v1", "Job", "  parallelism: 1\n"), false))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage("Job team/w: spec.template: nothing (expected: a template of a pod)");
    }

    @Test
    void givesAPodOfADeploymentWhatTheTemplateSaysAndTheHash() throws IOException {
        List<ObjectNode> made = made(deployment(""), false).objects();
        String hash = made.get(0)
                .path("metadata")
                .path("labels")
                .path("pod-template-hash")
                .asText();

        assertThat(made.get(0).path("metadata").path("name").asText()).isEqualTo("w-" + hash);
        assertThat(made.get(0).at("/spec/selector"))
                .isEqualTo(tree("{'matchLabels': {'app': 'x', 'pod-template-hash': '" + hash + "'}}"));
        ObjectNode pod = made.get(1);
        pod.withObject("/metadata").remove("name");
        assertThat(pod).isEqualTo(tree("""
                {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'generateName': 'w-HASH-', 'namespace': 'team',
                  'labels': {'app': 'x', 'pod-template-hash': 'HASH'}, 'annotations': {'note': 'text'},
                  'finalizers': ['example.org/f'],
                  'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'w-HASH', 'uid': 'UID',
                    'controller': true, 'blockOwnerDeletion': true}]},
                 'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}
                """.replace("HASH", hash)
                .replace("UID", made.get(0).path("metadata").path("uid").asText())));
    }

    @Test
    void bindsAPodOfADaemonSetToItsNodeByAffinityAndToleratesWhatAnyNodeMayHave() throws IOException {
        JsonNode spec = made(NODES + workload("apps/v1", "DaemonSet", TEMPLATE), false)
                .objects()
                .get(1)
                .path("spec");

        assertThat(spec.path("affinity")).isEqualTo(tree("""
                {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [
                  {'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['c']}]}]}}}
                """));
        assertThat(spec.path("tolerations")).hasSize(6);
    }

    @Nested
    class GroupsOfJobs {
        private static final FeatureGates ON =
                FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true, FeatureGates.WORKLOAD_WITH_JOB, true));
        private static final String GANG = "  parallelism: 2\n  scheduling: {schedulingPolicy: {gang: {}}}\n";
        // The hashes are those of the controller.
        private static final String WORKLOAD = "Workload w-6f48b98f99";
        private static final String GROUP = "PodGroup w-6f48b98f99-w-pgt-0-6649944dc8";
        private static final String OWNED =
                "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: w," + " uid: w-uid, controller: true}]";
        private static final String KNOWN_WORKLOAD = """
                ---
                apiVersion: scheduling.k8s.io/v1beta1
                kind: Workload
                metadata: {name: known, namespace: team, OWNED}
                spec: {controllerRef: {apiGroup: batch, kind: Job, name: w}, podGroupTemplates: [{name: t}]}
                """.replace("OWNED", OWNED);
        private static final String KNOWN_GROUP = """
                ---
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: known-group, namespace: team, OWNED}
                spec: {workloadRef: {workloadName: known, templateName: t}}
                """.replace("OWNED", OWNED);
        private static final String WORKLOAD_OF_PARENT = """
                ---
                apiVersion: scheduling.k8s.io/v1beta1
                kind: Workload
                metadata: {name: set, namespace: team}
                spec:
                  controllerRef: {apiGroup: example.org, kind: JobSet, name: s}
                  podGroupTemplates: [{name: t, schedulingPolicy: {gang: {minCount: 7}}, priority: 3}]
                """;

        record Case(String name, String text, List<String> made, String group, String whyNone) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static Case makes(String name, String text, String group, String... made) {
            return new Case(name, text, List.of(made), group, "");
        }

        private static String ofParent(String annotations) {
            return job("").replace(
                            "uid: w-uid",
                            "uid: w-uid, annotations: {" + annotations + "}, ownerReferences: [{apiVersion:"
                                    + " example.org/v1, kind: JobSet, name: s, uid: s-uid, controller: true}]");
        }

        static List<Case> cases() {
            String name = GROUP.substring("PodGroup ".length());
            String pod = "Pod w-*";
            return List.of(
                    makes("a job has a workload and a group", job(""), name, WORKLOAD, GROUP, pod),
                    makes("so has a gang", job(GANG), name, WORKLOAD, GROUP, pod, pod),
                    new Case(
                            "and one that is suspended",
                            job("  suspend: true\n"),
                            List.of(WORKLOAD, GROUP),
                            "",
                            "suspended"),
                    makes(
                            "a job whose pods are in a group has none",
                            job("").replace("    spec:\n", "    spec:\n      schedulingGroup: {podGroupName: own}\n"),
                            "own",
                            pod),
                    makes(
                            "nor has one that has started",
                            job("") + "status: {startTime: '2026-11-21T09:30:00Z'}\n",
                            "",
                            pod),
                    makes(
                            "or that has pods",
                            job("  parallelism: 2\n") + pod("w-1", owner("batch/v1", "Job"), ""),
                            "",
                            pod),
                    makes(
                            "or that was suspended",
                            job("") + "status: {conditions: [{type: Suspended, status: 'False'}]}\n",
                            "",
                            pod),
                    makes(
                            "one that has started finds its group again",
                            job("  parallelism: 2\n")
                                    + KNOWN_WORKLOAD
                                    + KNOWN_GROUP
                                    + pod("w-1", owner("batch/v1", "Job"), ""),
                            "known-group",
                            pod),
                    makes(
                            "a group that is missing is made of the workload that is there",
                            job("") + KNOWN_WORKLOAD,
                            "known-t-5887449b",
                            "PodGroup known-t-*",
                            pod),
                    makes(
                            "a workload of another controller does not count",
                            job("") + KNOWN_WORKLOAD.replace("uid: w-uid, controller: true", "uid: w-uid"),
                            name,
                            WORKLOAD,
                            GROUP,
                            pod),
                    makes(
                            "with two workloads the job has no group",
                            job("") + KNOWN_WORKLOAD + KNOWN_WORKLOAD.replace("name: known", "name: other"),
                            "",
                            pod),
                    new Case(
                            "with a workload of another shape it has no pods",
                            job("") + KNOWN_WORKLOAD.replace("[{name: t}]", "[{name: t}, {name: u}]"),
                            List.of(),
                            "",
                            "Workload team/known has 2 podGroupTemplates, and not 1"),
                    new Case(
                            "a gang of more pods than run at once is refused",
                            job("  scheduling: {schedulingPolicy: {gang: {minCount: 2}}}\n"),
                            List.of(),
                            "",
                            "refused by the API server: spec.scheduling.schedulingPolicy.gang.minCount: must not be"
                                    + " greater than parallelism (1)"),
                    makes("a job of another controller has no group", ofParent("") + WORKLOAD_OF_PARENT, "", pod),
                    makes(
                            "unless that leaves it to the job",
                            ofParent("scheduling.k8s.io/group-template-name: t") + WORKLOAD_OF_PARENT,
                            "set-t-5c5dbb9745",
                            "PodGroup set-t-*",
                            pod),
                    makes(
                            "and has the template",
                            ofParent("scheduling.k8s.io/group-template-name: u") + WORKLOAD_OF_PARENT,
                            "",
                            pod));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void areMadeAsByTheController(Case given) {
            MadeObjects made = made(given.text, ON, true);

            List<String> titles = new ArrayList<>();
            for (ObjectNode object : made.objects()) {
                ObjectKey key = ObjectKey.of(object);
                titles.add(key.kind() + " " + key.name());
                if (key.kind().equals("Pod")) {
                    assertThat(object.at("/spec/schedulingGroup/podGroupName").asText(""))
                            .isEqualTo(given.group);
                }
            }
            assertThat(titles).hasSameSizeAs(given.made);
            for (int i = 0; i < titles.size(); i++) {
                assertThat(titles.get(i)).matches(given.made.get(i).replace("*", "[a-z0-9]{5,10}"));
            }
            assertThat(made.whyNone()).isEqualTo(given.whyNone);
        }

        @Test
        void areNotMadeWithoutThatFeature() {
            assertThat(made(job(GANG), false).objects())
                    .extracting(object -> ObjectKey.of(object).kind())
                    .containsExactly("Pod", "Pod");
        }

        @Test
        void sayWhatTheJobSays() throws IOException {
            String scheduling = "  parallelism: 4\n  scheduling:\n    schedulingPolicy: {gang: {}}\n"
                    + "    disruptionMode: {all: {}}\n    schedulingConstraints: {topology: [{key: rack}]}\n"
                    + "    resourceClaims: [{name: c, resourceClaimName: shared}]\n";
            List<ObjectNode> made = made(
                            job(scheduling).replace("    spec:\n", "    spec:\n      priorityClassName: gold\n"),
                            ON,
                            false)
                    .objects();
            String template = "'schedulingPolicy': {'gang': {'minCount': 4}}, 'disruptionMode': {'all': {}},"
                    + " 'schedulingConstraints': {'topology': [{'key': 'rack'}]}, 'priorityClassName': 'gold',"
                    + " 'resourceClaims': [{'name': 'c', 'resourceClaimName': 'shared'}]}";
            String ownedByJob = "{'apiVersion': 'batch/v1', 'kind': 'Job', 'name': 'w', 'uid': 'w-uid',"
                    + " 'controller': true, 'blockOwnerDeletion': true}";

            assertThat(made.get(0).path("spec"))
                    .isEqualTo(tree("{'controllerRef': {'apiGroup': 'batch', 'kind': 'Job', 'name': 'w'},"
                            + " 'podGroupTemplates': [{'name': 'w-pgt-0', " + template + "]}"));
            assertThat(made.get(0).at("/metadata/ownerReferences"))
                    .isEqualTo(tree("{'x': [" + ownedByJob + "]}").path("x"));
            assertThat(made.get(1).path("spec"))
                    .isEqualTo(tree("{'workloadRef': {'workloadName': 'w-6f48b98f99', 'templateName': 'w-pgt-0'}, "
                            + template));
            assertThat(made.get(1).at("/metadata/ownerReferences"))
                    .isEqualTo(tree("{'x': [" + ownedByJob + ", {'apiVersion': 'scheduling.k8s.io/v1beta1',"
                                    + " 'kind': 'Workload', 'name': 'w-6f48b98f99', 'uid': '"
                                    + made.get(0).at("/metadata/uid").asText() + "'}]}")
                            .path("x"));
            assertThat(made.get(2).at("/metadata/ownerReferences/1"))
                    .isEqualTo(tree("{'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup',"
                            + " 'name': '" + ObjectKey.of(made.get(1)).name() + "', 'uid': '"
                            + made.get(1).at("/metadata/uid").asText() + "'}"));
        }

        @Test
        void haveNamesThatAreCutIfTheyAreLong() {
            String name = "j".repeat(200);
            String text = job("").replace("name: w,", "name: " + name + ",");

            List<ObjectNode> made = made(text, name, ON, false).objects();

            assertThat(ObjectKey.of(made.get(0)).name()).isEqualTo(name + "-6f48b98f99");
            assertThat(ObjectKey.of(made.get(1)).name())
                    .matches("j{121}-j{121}-[a-z0-9]{5,10}")
                    .hasSizeLessThanOrEqualTo(253);
        }
    }

    private static ObjectNode tree(String json) throws IOException {
        return ObjectStreams.object(json.replace('\'', '"'));
    }

    private static MadeObjects made(String text, boolean startsCronJobs) {
        return made(text, FeatureGates.DEFAULTS, startsCronJobs);
    }

    private static MadeObjects made(String text, FeatureGates features, boolean startsCronJobs) {
        return made(text, "w", features, startsCronJobs);
    }

    private static MadeObjects made(String text, String name, FeatureGates features, boolean startsCronJobs) {
        Workloads workloads = new Workloads(features, startsCronJobs);
        List<ObjectNode> waiting = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        for (ObjectNode object : ClusterFiles.read(List.of("-"), new ByteArrayInputStream(text.getBytes(UTF_8)))) {
            workloads.seen(object);
            if (ObjectKey.of(object).name().equals(name) && Workloads.isWorkload(object)) {
                waiting.add(object);
            }
            if (object.path("kind").asText().equals("Node")) {
                nodes.add((Node) new TreeDecoder().decode(object));
            }
        }
        assertThat(waiting).hasSize(1);
        return workloads.make(waiting.get(0), nodes);
    }
}
