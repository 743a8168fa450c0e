// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.FilterPlugin;

class SimulateTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path folder;

    private static CapturedRun first(String... args) {
        List<String> all =
                new ArrayList<>(List.of("simulate", "--config", CapturedRun.elevenPlugins(), CapturedRun.FIRST));
        all.addAll(List.of(args));
        return CapturedRun.of(all.toArray(String[]::new));
    }

    @Test
    void showsWhereEachPodGoes() {
        CapturedRun run = first();

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("""
                        POD                 NODE      SCORE   MESSAGE
                        default/alerts      web-1       468
                        default/shop-1      web-1       456
                        default/shop-2      web-1       443
                        default/shop-3      web-2       437
                        default/ingress-1   web-1       366
                        default/ingress-2   web-2         -
                        default/ingress-3   -             -   0/6 nodes are available: 1 node(s) were unschedulable, 2 \
                        node(s) didn't have free ports for the requested pod ports, 3 node(s) had untolerated taint(s).
                        default/database    web-1         -
                        default/report      batch-1     662
                        default/render      gpu-1         -
                        default/train       -             -   0/6 nodes are available: 1 node(s) were unschedulable, 2 \
                        Insufficient cpu, 2 Insufficient memory, 2 node(s) had untolerated taint(s), 3 Insufficient \
                        example.com/gpu.
                        default/invoices    -             -   SchedulingGates: waiting for scheduling gates: \
                        [example.com/quota]

                        NODE        PODS     CPU                          MEMORY                           example.com/gpu
                        control-1   1/110    200m/4     5%   #.........   256Mi/8Gi      3%   ..........   -
                        web-1       5/110    2.25/4    56%   ######....   4.5Gi/8Gi     56%   ######....   -
                        web-2       3/110    1.5/4     38%   ####......   3Gi/8Gi       38%   ####......   -
                        web-3       0/110    0/4        0%   ..........   0/8Gi          0%   ..........   -
                        batch-1     1/110    2/16      13%   #.........   4Gi/32Gi      13%   #.........   -
                        gpu-1       1/110    2/8       25%   ###.......   8Gi/32Gi      25%   ###.......   1/2  50%
                        all nodes   11/660   7.95/40   20%   ##........   19.8Gi/96Gi   21%   ##........   1/2  50%

                        12 pods: 9 placed, 2 unschedulable, 1 gated in 0.00 s
                        """);
    }

    @Test
    void wrapsMessagesAndOmitsBarsOnNarrowTerminals() {
        CapturedRun run =
                CapturedRun.onTerminal(80, "simulate", "--config", CapturedRun.elevenPlugins(), CapturedRun.FIRST);

        String plain = run.out().replaceAll("\u001b\\[[0-9;]*m", "");
        assertThat(plain).contains("""
                        default/ingress-3   -             -   0/6 nodes are available:
                                                              1 node(s) were unschedulable, 2 node(s)
                                                              didn't have free ports for the requested
                                                              pod ports,
                                                              3 node(s) had untolerated taint(s).
                        """, "web-1       5/110    2.25/4    56%   4.5Gi/8Gi     56%   -\n");
        assertThat(plain.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        assertThat(run.out()).contains("\u001b[32mweb-1\u001b[0m", "\u001b[31m-\u001b[0m");
    }

    @Test
    void showsSharesOnlyWhereTheTerminalIsNarrow() {
        CapturedRun run =
                CapturedRun.onTerminal(60, "simulate", "--config", CapturedRun.elevenPlugins(), CapturedRun.FIRST);

        assertThat(run.out().replaceAll("\u001b\\[[0-9;]*m", "")).contains("""
                        NODE        PODS     CPU   MEMORY   example.com/gpu
                        control-1   1/110     5%       3%                 -
                        """);
    }

    @Test
    void omitsPodsWithANode() {
        assertThat(first("--only-unplaced").out()).startsWith("""
                        POD                 NODE   SCORE   MESSAGE
                        default/ingress-3   -          -   0/6 nodes""").doesNotContain("default/shop-1");
    }

    @Test
    void groupsPodsByOwnerAndByMessageWhereThereAreMany() {
        String nodes = """
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
                 "status": {"allocatable": {"cpu": "10", "memory": "9Gi", "pods": "99"}}}
                """;
        StringBuilder cluster = new StringBuilder(nodes);
        for (int i = 0; i < 12; i++) {
            cluster.append(pod("web-" + i, "ReplicaSet", "web-7c9", "1"));
        }
        for (int i = 0; i < 3; i++) {
            cluster.append(pod("big-" + i, "Job", "big", "20"));
            cluster.append(pod("db-" + i, "StatefulSet", "db", "30"));
        }
        for (int i = 0; i < 30; i++) {
            cluster.append(pod("bare-" + i, "", "", "0"));
        }

        CapturedRun run =
                CapturedRun.withInput(cluster.toString(), "simulate", "--config", CapturedRun.elevenPlugins(), "-");

        assertThat(run.out()).startsWith("""
                        PODS OF                    PODS   PLACED   MESSAGE
                        default/big and 1 more        6        0   6 unschedulable: 0/1 nodes are available: 1 \
                        Insufficient cpu.
                        default/web                  12       10   2 unschedulable: 0/1 nodes are available: 1 \
                        Insufficient cpu.
                        default/bare-0 +29 alike     30       30
                        """);
    }

    private static String pod(String name, String kind, String owner, String cpu) {
        String owners = owner.isEmpty() ? "" : """
                "ownerReferences": [{"apiVersion": "v1", "kind": "%s", "name": "%s", "uid": "%s", "controller": true}],
                """.formatted(kind, owner, owner);
        return """
                {"kind": "Pod", "apiVersion": "v1", "metadata": {%s "name": "%s", "labels": {"pod-template-hash": "7c9"}},
                 "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%s"}}}]}}
                """.formatted(owners, name, cpu);
    }

    @Test
    void refersToTheFirstPodWithTheSameReasons() {
        StringBuilder cluster = new StringBuilder("""
                {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: patient}, value: 0, preemptionPolicy: Never}
                ---
                """);
        for (String node : List.of("a: 1", "b: 2", "c: 2")) {
            cluster.append("""
                    {apiVersion: v1, kind: Node, metadata: {name: %s, labels: {rack: rack-%s}},
                     status: {allocatable: {cpu: 4, pods: 9}}}
                    ---
                    """.formatted((Object[]) node.split(": ")));
        }
        for (String pod : List.of(
                "first: priority: 0",
                "same: priority: 0",
                "never: priorityClassName: patient",
                "one: nodeSelector: {rack: rack-1}",
                "two: nodeSelector: {rack: rack-2}")) {
            cluster.append("""
                    {apiVersion: v1, kind: Pod, metadata: {name: %s},
                     spec: {%s, containers: [{name: c, image: i, resources: {requests: {cpu: 9}}}]}}
                    ---
                    """.formatted((Object[]) pod.split(": ", 2)));
        }

        CapturedRun run = CapturedRun.withInput(cluster.toString(), "simulate", "-");

        assertThat(run.out())
                .as(run.err())
                .containsPattern("default/first .* 3 Insufficient cpu\\. preemption: ")
                .containsPattern("default/same  *- *- *as default/first\n")
                .containsPattern("default/never  *- *- *as default/first, but preemption: not eligible due to"
                        + " preemptionPolicy=Never\\.")
                .containsPattern("default/one .* 1 Insufficient cpu, 2 node\\(s\\) didn't match Pod's node affinity")
                .containsPattern("default/two  *- *- *as default/one, for other numbers of nodes\n");
    }

    @Test
    void mergesPreemptedPodsOfSeveralNodes() throws IOException {
        StringBuilder cluster = new StringBuilder();
        for (String node : List.of("a", "b")) {
            cluster.append("""
                    {apiVersion: v1, kind: Node, metadata: {name: %1$s}, status: {allocatable: {cpu: 4, pods: 9}}}
                    ---
                    {apiVersion: v1, kind: Pod, metadata: {name: low-%1$s},
                     spec: {nodeName: %1$s, containers: [{name: c, image: i, resources: {requests: {cpu: 4}}}]}}
                    ---
                    {apiVersion: v1, kind: Pod, metadata: {name: high-%1$s},
                     spec: {priority: 9, containers: [{name: c, image: i, resources: {requests: {cpu: 4}}}]}}
                    ---
                    """.formatted(node));
        }

        CapturedRun run = CapturedRun.withInput(cluster.toString(), "simulate", "--by", "namespace", "-o", "json", "-");

        JsonNode outcomes = JSON.readTree(run.out()).at("/namespaces/0/outcomes");
        assertThat(outcomes).as(run.err()).hasSize(1);
        assertThat(outcomes.get(0).get("outcome").asText()).isEqualTo("preempted");
        assertThat(outcomes.get(0).get("pods").asInt()).isEqualTo(2);
        assertThat(outcomes.get(0).get("message").asText()).isEqualTo("had to leave 2 nodes for more important pods");
    }

    @Test
    void makesAndBindsVolumesUntilStorageIsUsedUp() throws IOException {
        StringBuilder text = new StringBuilder("""
                {apiVersion: v1, kind: Node, metadata: {name: 'n', labels: {zone: a}},
                 status: {allocatable: {cpu: "8", memory: 8Gi, pods: "20"}}}
                ---
                {apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.x}, spec: {storageCapacity: true}}
                ---
                apiVersion: storage.k8s.io/v1
                kind: StorageClass
                metadata: {name: wait, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
                provisioner: csi.x
                volumeBindingMode: WaitForFirstConsumer
                ---
                {apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: a}, storageClassName: wait,
                 capacity: 10Gi, nodeTopology: {matchLabels: {zone: a}}}
                ---
                {apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {capacity: {storage: 2Gi},
                 accessModes: [ReadWriteOnce], local: {path: /d}}}
                ---
                {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {storageClassName: "",
                 accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: at-once}, spec: {containers: [{name: c, image: i}],
                 volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}}
                """);
        for (String name : List.of("first", "second", "third")) {
            text.append("""
                    ---
                    {apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: [{name: c, image: i}],
                     volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce],
                      resources: {requests: {storage: 4Gi}}}}}}]}}
                    """.formatted(name));
        }
        Path cluster = Files.writeString(folder.resolve("cluster.yaml"), text);

        CapturedRun run = CapturedRun.of("simulate", "-o", "json", cluster.toString());

        List<String> results = new ArrayList<>();
        for (JsonNode pod : JSON.readTree(run.out()).path("pods")) {
            results.add(pod.path("pod").asText() + ": " + pod.path("node").asText()
                    + (pod.path("message").asText().contains("did not have enough free storage") ? "no storage" : ""));
        }
        assertThat(results)
                .containsExactly(
                        "default/at-once: n", "default/first: n", "default/second: n", "default/third: no storage");
    }

    @Test
    void startsCronJobsOnRequest() {
        String nodes = "../examples/clusters/nodes.yaml";
        String cronJob = "src/test/manifests/cron-job.yaml";

        CapturedRun waits = CapturedRun.of("simulate", nodes, cronJob);
        CapturedRun runs = CapturedRun.of("simulate", "--cron-jobs", nodes, cronJob);

        assertThat(waits.out()).endsWith("no pod waits for a node\n");
        assertThat(waits.err())
                .startsWith("note: no pods are made of CronJob default/backup (waits for its schedule)\n");
        assertThat(runs.out()).contains("default/backup-29453760-").endsWith("1 pod: 1 placed in 0.00 s\n");
        assertThat(runs.err())
                .isEqualTo("note: 1 pod is made as controllers would make them: CronJob default/backup 1\n");
    }

    /** Rejects each node unless there is a region, which is a custom resource of the whole cluster. */
    static final class NeedsRegion implements FilterPlugin {
        private static final Status NO_REGION = Status.unschedulable("no region");

        private final ObjectLister<OtherObject> regions;

        NeedsRegion(Handle handle) {
            regions = handle.cluster().lister(ObjectKind.other("example.org/v1", "Region", "regions", false));
        }

        @Override
        public String name() {
            return "NeedsRegion";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return regions.get("", "example").isPresent() ? Status.success() : NO_REGION;
        }
    }

    @Test
    void showsPluginsCustomResourcesOfTheWholeCluster() throws IOException {
        Path config = Files.writeString(folder.resolve("scheduler.yaml"), """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles: [{plugins: {multiPoint: {enabled: [{name: NeedsRegion}]}}}]
                """);
        Path region = Files.writeString(folder.resolve("region.yaml"), """
                {apiVersion: example.org/v1, kind: Region, metadata: {name: example}}
                """);
        List<String> command = List.of(
                "simulate",
                "--config",
                config.toString(),
                "../examples/clusters/nodes.yaml",
                "src/test/manifests/pod.yaml");
        List<String> withRegion = new ArrayList<>(command);
        withRegion.add(region.toString());
        List<PluginFactory<?>> plugins = List.of(PluginFactory.of("NeedsRegion", NeedsRegion.class, NeedsRegion::new));

        assertThat(CapturedRun.withPlugins(plugins, command.toArray(String[]::new))
                        .out())
                .contains("no region");
        assertThat(CapturedRun.withPlugins(plugins, withRegion.toArray(String[]::new))
                        .out())
                .contains("1 pod: 1 placed");
    }

    @Test
    void namesTheSeed() {
        assertThat(first("--seed", "7").out()).endsWith(" in 0.00 s (seed 7)\n");
    }

    @Test
    void endsWithOneForPodsThatDoNotFitIfAskedTo() {
        assertThat(first("--exit-code").exitCode()).isEqualTo(1);
    }

    @Test
    void answersInJson() throws IOException {
        JsonNode answer = JSON.readTree(first("-o", "json", "--seed", "7").out());

        assertThat(answer.path("pods").get(0)).isEqualTo(JSON.readTree("""
                                {"pod": "default/alerts", "node": "web-1", "score": 468, "outcome": "scheduled",
                                 "message": "", "attempts": 1}
                                """));
        assertThat(answer.path("pods").get(11)).isEqualTo(JSON.readTree("""
                                {"pod": "default/invoices", "node": "", "outcome": "gated",
                                 "plugin": "SchedulingGates",
                                 "message": "waiting for scheduling gates: [example.com/quota]", "attempts": 0}
                                """));
        assertThat(answer.path("nodes").get(5)).isEqualTo(JSON.readTree("""
                                {"node": "gpu-1", "pods": 1, "allowedPods": 110, "resources": {
                                  "milliCpu": {"requested": 2000, "allocatable": 8000},
                                  "memory": {"requested": 8589934592, "allocatable": 34359738368},
                                  "example.com/gpu": {"requested": 1, "allocatable": 2}}}
                                """));
        ObjectNode summary = (ObjectNode) answer.path("summary");
        assertThat(summary.remove("reasons"))
                .extracting(reason -> reason.path("pods").asInt())
                .containsExactly(1, 1, 1);
        assertThat(summary.remove("balance").path("podsOnNodes").asInt()).isEqualTo(11);
        assertThat(summary).isEqualTo(JSON.readTree("""
                                {"pods": 12, "scheduled": 9, "unschedulable": 2, "error": 0, "preempted": 0,
                                 "waitingForPermit": 0, "gated": 1, "otherScheduler": 0, "deleting": 0, "deleted": 0, "seconds": 0.0,
                                 "seed": 7}
                                """));
    }

    @Test
    void answersInYaml() {
        assertThat(first("-o", "yaml").out())
                .startsWith("pods:\n- pod: default/alerts\n  node: web-1\n  score: 468\n  outcome: scheduled\n");
    }

    @Test
    void tracesEachStepForTheRealKubeScheduler() throws IOException {
        Path file = folder.resolve("trace.json");

        first("--trace", file.toString());

        JsonNode trace = JSON.readTree(file.toFile());
        assertThat(trace.path("config").path("kind").asText()).isEqualTo("KubeSchedulerConfiguration");
        assertThat(trace.path("objects")).hasSize(6 + 14 + 1);
        for (JsonNode object : trace.path("objects")) {
            assertThat(object.path("metadata").path("uid").asText()).isNotEmpty();
        }
        List<String> steps = new ArrayList<>();
        trace.path("steps")
                .forEach(step -> steps.add(
                        step.path("pod").asText() + " " + step.path("node").asText()));
        assertThat(steps)
                .containsExactly(
                        "default/alerts web-1",
                        "default/shop-1 web-1",
                        "default/shop-2 web-1",
                        "default/shop-3 web-2",
                        "default/ingress-1 web-1",
                        "default/ingress-2 web-2",
                        "default/ingress-3 ",
                        "default/database web-1",
                        "default/report batch-1",
                        "default/render gpu-1",
                        "default/train ");
    }

    @Test
    void tracesWithoutAConfigurationWhereNoneIsGiven() throws IOException {
        Path file = folder.resolve("trace.json");

        CapturedRun.of("simulate", CapturedRun.FIRST, "--trace", file.toString());

        assertThat(JSON.readTree(file.toFile()).has("config")).isFalse();
    }

    @Test
    void readsStdin() {
        CapturedRun run = CapturedRun.withInput("""
                {"kind": "List", "apiVersion": "v1", "items": [
                  {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
                   "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}]}
                """, "simulate", "--config", CapturedRun.elevenPlugins(), "-");

        assertThat(run.out()).isEqualTo("""
                        NODE   PODS   CPU                     MEMORY
                        a      0/10   0/1   0%   ..........   0/1Gi    0%   ..........

                        no pod waits for a node
                        """);
    }

    @Test
    void putsPodsAndNodesTogetherAsAsked() {
        String views = first("--by", "type,namespace").out();

        assertThat(views).contains("NAMESPACE   PODS   PLACED   MESSAGE").contains("\ndefault       12        9   ");
        assertThat(views).contains("TYPE        NODES   PODS ").contains("\n(no type)       6   11/660 ");
        assertThat(first("--by", "rack").err())
                .contains("--by", "\"rack\" (expected: one of node, zone, type, owner, namespace)");
    }
}
