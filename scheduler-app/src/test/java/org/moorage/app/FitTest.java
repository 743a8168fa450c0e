// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.dump.ManifestPods;
import org.moorage.simulation.dump.Manifests;

@Tag("any-jvm")
class FitTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String CLUSTER = """
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a", "labels": {"topology.kubernetes.io/zone": "east"}},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "b", "labels": {"topology.kubernetes.io/zone": "west"}},
             "status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "10"}}}
            {"kind": "PriorityClass", "apiVersion": "scheduling.k8s.io/v1", "metadata": {"name": "high"}, "value": 1000}
            {"kind": "LimitRange", "apiVersion": "v1", "metadata": {"name": "limits", "namespace": "small"}, "spec":
             {"limits": [{"type": "Container", "defaultRequest": {"cpu": "3"}, "max": {"cpu": "3"}}]}}
            {"kind": "ReplicaSet", "apiVersion": "apps/v1", "metadata": {"name": "web-1", "namespace": "default", "uid": "web-1",
              "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web", "controller": true}]},
             "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web",
              "pod-template-hash": "1"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web-1-a", "namespace": "default", "labels": {"app": "web",
              "pod-template-hash": "1"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1",
               "uid": "web-1", "controller": true}]}, "spec": {"nodeName": "a", "containers": [{"name": "c", "image": "i",
               "resources": {"requests": {"cpu": "1"}}}]}}
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "waits"}, "spec": {"containers": [{"name": "c", "image": "i",
               "resources": {"requests": {"cpu": "2"}}}]}}
            """;

    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.defaults(PLUGINS);

    @TempDir
    private Path folder;

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("manifest.yaml"), text).toString();
    }

    private static String pod(String name, String namespace, String more, String requests) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s%s}
                spec:
                  %s
                  containers: [{name: c, image: i, resources: {requests: {%s}}}]
                """.formatted(name, namespace, more, requests);
    }

    private static String workload(String kind, String name, long replicas, String cpu) {
        String counts = kind.equals("Job")
                ? "parallelism: " + replicas
                : "replicas: " + replicas + "\n  selector: {matchLabels: {app: " + name + "}}";
        return """
                apiVersion: %s
                kind: %s
                metadata: {name: %s}
                spec:
                  %s
                  template:
                    metadata: {labels: {app: %s}}
                    spec:
                      restartPolicy: %s
                      containers: [{name: c, image: i, resources: {requests: {cpu: %s}}}]
                """.formatted(
                        kind.equals("Job") ? "batch/v1" : "apps/v1",
                        kind,
                        name,
                        counts,
                        name,
                        kind.equals("Job") ? "Never" : "Always",
                        cpu);
    }

    private record Case(String name, String manifest, List<String> options, int exitCode, List<String> said) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "a pod that fits says where",
                        pod("p", "", "", "cpu: 3"),
                        List.of(),
                        0,
                        List.of(
                                "The pod fits.",
                                "Pod default/p",
                                "a 1",
                                "The cluster has 2 other pending pods; the pods of the manifests are scheduled first")),
                new Case(
                        "a pod that is too large gets changes that would help",
                        pod("p", "", "", "cpu: 5"),
                        List.of(),
                        1,
                        List.of("0 of 1 pod fit", "2 Insufficient cpu", "lower its request by cpu 2")),
                new Case(
                        "pending pods are scheduled first on request",
                        pod("p", "", "", "cpu: 3"),
                        List.of("--after-pending"),
                        1,
                        List.of("The cluster has 2 other pending pods, which were scheduled first: 2 fit.")),
                new Case(
                        "a deployment's pods on nodes count, and its waiting ones are asked about",
                        workload("Deployment", "web", 4, "1"),
                        List.of(),
                        0,
                        List.of(
                                "All 3 pods fit.",
                                "The cluster has 1 other pending pod",
                                "Deployment default/web         1       3           3")),
                new Case(
                        "a deployment that is scaled to what is there asks for nothing",
                        workload("Deployment", "web", 1, "1"),
                        List.of("--max"),
                        0,
                        List.of("The manifests have no pods.", "5 more replicas of Deployment default/web would fit")),
                new Case(
                        "an important pod says whom it preempts",
                        pod("p", "", "priorityClassName: high", "cpu: 4"),
                        List.of(),
                        0,
                        List.of("The pod fits.", "They preempt 1 pod: default/web-1-a.", "1 is rescheduled")),
                new Case(
                        "admission of the cluster counts",
                        pod("p", ", namespace: small", "", "memory: 1Gi"),
                        List.of("--max"),
                        0,
                        List.of("The pod fits.", "0 more replicas of Pod small/p would fit")),
                new Case(
                        "what the API server refuses is said",
                        pod("p", "", "priorityClassName: none", "cpu: 1"),
                        List.of(),
                        1,
                        List.of("refused by the API server", "no PriorityClass with name none was found")),
                new Case(
                        "a request below 0 is refused",
                        pod("p", "", "", "cpu: -1"),
                        List.of("--max"),
                        1,
                        List.of(
                                "refused by the API server: Pod \"p\" is invalid",
                                "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or"
                                        + " equal to 0")),
                new Case(
                        "a manifest that the API server has answered is validated, too",
                        pod("p", ", uid: u", "tolerations: [{operator: Equal}]", "cpu: 1"),
                        List.of(),
                        1,
                        List.of("spec.tolerations[0].operator: Invalid value: \"Equal\"")),
                new Case(
                        "a workload that is refused asks for no pods",
                        workload("Deployment", "w", 2, "1").replace("matchLabels: {app: w}", "matchLabels: {app: v}"),
                        List.of(),
                        1,
                        List.of("`selector` does not match template `labels`")),
                new Case(
                        "more copies are limited",
                        pod("p", "", "", "cpu: 1m"),
                        List.of("--max", "--limit", "3"),
                        0,
                        List.of("At least 3 more replicas of Pod default/p would fit", "No more were tried")),
                new Case(
                        "a pod that is on a node is asked about as one more",
                        pod("web-1-a", "", "", "cpu: 1"),
                        List.of(),
                        0,
                        List.of("The pod fits.", "Pod default/web-1-a         1       1           1")),
                new Case(
                        "an object that scheduling does not read is noted",
                        pod("p", "", "", "cpu: 1") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n",
                        List.of(),
                        0,
                        List.of("ConfigMap default/web does not affect scheduling")),
                new Case(
                        "a million replicas end soon, and it is said how many are asked",
                        workload("Deployment", "many", 1_000_000, "1"),
                        List.of(),
                        1,
                        List.of("5 of 1000000 pods fit.", "990000 not tried: at most 10000 run at a time")),
                new Case(
                        "the pods of a stateful set are asked about at once",
                        workload("StatefulSet", "db", 2, "1"),
                        List.of(),
                        0,
                        List.of("All 2 pods fit.", "StatefulSet default/db")),
                new Case(
                        "a daemon set has a pod on each node",
                        workload("DaemonSet", "agent", 1, "1"),
                        List.of(),
                        0,
                        List.of("All 2 pods fit.", "a 1, b 1")),
                new Case(
                        "a million pods of a job end soon",
                        workload("Job", "many", 1_000_000, "1"),
                        List.of(),
                        1,
                        List.of("5 of 1000000 pods fit.")));
    }

    private static final String TEMPLATE = """
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one},
             spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}}
            ---
            """;
    private static final String DEVICES = """
            {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.example.com},
             spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}}
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: a-gpus}, spec: {driver: gpu.example.com,
             nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}}
            ---
            """;
    private static final String CLAIMS =
            "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]\n      containers: [{name: c, image: i,"
                    + " resources: {claims: [{name: gpu}]}}]";
    private static final String DISK = """
            {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: own}, provisioner: disk.example.com,
             volumeBindingMode: WaitForFirstConsumer}
            ---
            """;
    private static final String GANG = """
            {apiVersion: scheduling.k8s.io/v1, kind: PodGroup, metadata: {name: train},
             spec: {schedulingPolicy: {gang: {minCount: 2}}}}
            ---
            """ + member("train-0") + "---\n" + member("train-1");

    private static String member(String name) {
        return pod(name, "", "schedulingGroup: {podGroupName: train}", "cpu: 2500m");
    }

    private static String podWithClaim(String name) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n      " + CLAIMS + "\n---\n";
    }

    private static String withVolume(String source) {
        return pod("p", "", "volumes: [{name: v, " + source + "}]", "cpu: 1");
    }

    /** Manifests that have more than pods: what pods need comes to the cluster for the question. */
    static Stream<Case> casesWithOtherObjects() {
        String high = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: own}, value: 9}\n---\n";
        String urgent = pod("p", "", "priorityClassName: own", "cpu: 1") + "---\n";
        String claim =
                "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: own,"
                        + " accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}\n---\n";
        String ephemeral = "ephemeral: {volumeClaimTemplate: {spec: {storageClassName: own, accessModes:"
                + " [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}";
        return Stream.of(
                new Case("a priority class", high + urgent, List.of(), 0, List.of("The pod fits.")),
                new Case(
                        "a priority class that comes after its pod, which the API server refuses",
                        urgent + high,
                        List.of(),
                        1,
                        List.of("no PriorityClass with name own was found")),
                new Case(
                        "a priority class that comes after its workload, whose pods come later",
                        workload("Job", "j", 1, "1")
                                        .replace("restartPolicy:", "priorityClassName: own\n      restartPolicy:")
                                + "---\n" + high,
                        List.of(),
                        0,
                        List.of("The pod fits.")),
                new Case(
                        "a priority class that the cluster has with another value",
                        high.replace("own", "high") + pod("p", "", "priorityClassName: high", "cpu: 1"),
                        List.of(),
                        0,
                        List.of("PriorityClass high replaces the object of its name in the cluster")),
                new Case(
                        "a priority class that the API server refuses",
                        high.replace("value: 9", "value: 2000000000") + urgent,
                        List.of(),
                        1,
                        List.of(
                                "PriorityClass own is not created (refused by the API server: ",
                                "maximum allowed value of a user defined priority is 1000000000")),
                new Case(
                        "a limit range",
                        "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: Container,"
                                + " defaultRequest: {cpu: 5}}]}}\n---\n" + pod("p", "", "", "memory: 1Gi"),
                        List.of(),
                        1,
                        List.of("2 Insufficient cpu")),
                new Case(
                        "a runtime class",
                        "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: vm}, handler: vm, overhead:"
                                + " {podFixed: {cpu: 4}}}\n---\n" + pod("p", "", "runtimeClassName: vm", "cpu: 1"),
                        List.of(),
                        1,
                        List.of("2 Insufficient cpu")),
                new Case(
                        "a template of claims, a class and devices, for two of three pods",
                        podWithClaim("p") + podWithClaim("q") + podWithClaim("r") + TEMPLATE + DEVICES,
                        List.of(),
                        1,
                        List.of("2 of 3 pods fit.", "a 1", "cannot allocate all claims")),
                new Case(
                        "a deployment with such claims",
                        TEMPLATE
                                + DEVICES
                                + workload("Deployment", "d", 2, "1")
                                        .replace(
                                                "containers: [{name: c",
                                                CLAIMS.replaceAll("(?s) {6}containers.*", "")
                                                        + "      containers: [{name: c")
                                        .replace("requests: {cpu: 1}", "requests: {cpu: 1}, claims: [{name: gpu}]"),
                        List.of(),
                        0,
                        List.of("All 2 pods fit.", "a 2")),
                new Case(
                        "a storage class of an ephemeral volume",
                        DISK + withVolume(ephemeral),
                        List.of(),
                        0,
                        List.of("The pod fits.")),
                new Case(
                        "a claim to a volume, before its class",
                        claim + DISK + withVolume("persistentVolumeClaim: {claimName: data}"),
                        List.of(),
                        0,
                        List.of("The pod fits.")),
                new Case(
                        "a claim to a volume, and the volume of one node",
                        claim
                                + "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {storageClassName:"
                                + " own, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], local: {path: /v},"
                                + " nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                                + " topology.kubernetes.io/zone, operator: In, values: [west]}]}]}}}}\n---\n"
                                + DISK.replace("disk.example.com", "kubernetes.io/no-provisioner")
                                + withVolume("persistentVolumeClaim: {claimName: data}"),
                        List.of(),
                        0,
                        List.of("The pod fits.", "b 1")),
                new Case(
                        "a node",
                        "{apiVersion: v1, kind: Node, metadata: {name: large}, status: {allocatable: {cpu: 64, memory:"
                                + " 64Gi, pods: 10}}}\n---\n" + pod("p", "", "", "cpu: 32"),
                        List.of(),
                        0,
                        List.of("The pod fits.", "large 1")),
                new Case(
                        "a node that the cluster has",
                        "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n" + pod("p", "", "", "cpu: 3"),
                        List.of(),
                        0,
                        List.of("The pod fits.", "Node a is in the cluster already and stays as it is there")),
                new Case(
                        "a group that does not fit as a whole",
                        GANG,
                        List.of("--feature-gates", "GenericWorkload=true"),
                        1,
                        List.of("0 of 2 pods fit.")),
                new Case(
                        "a group that fits",
                        GANG.replace("2500m", "1"),
                        List.of("--feature-gates", "GenericWorkload=true"),
                        0,
                        List.of("All 2 pods fit.", "PodGroup default/train         0       2           2")),
                new Case(
                        "a group whose feature is off",
                        GANG,
                        List.of(),
                        1,
                        List.of(
                                "1 of 2 pods fits.",
                                "PodGroup default/train is ignored: the feature gate GenericWorkload is off, so its pods"
                                        + " are created without a group")));
    }

    @ParameterizedTest
    @MethodSource({"cases", "casesWithOtherObjects"})
    void answers(Case asked) throws IOException {
        List<String> args = new ArrayList<>(List.of("fit", file(asked.manifest), "--cluster", "-"));
        args.addAll(asked.options);

        CapturedRun run = CapturedRun.withInput(CLUSTER, args.toArray(String[]::new));

        assertThat(run.out() + run.err()).contains(asked.said);
        assertThat(run.exitCode()).isEqualTo(asked.exitCode);
        args.addAll(List.of("-o", "json"));
        JsonNode tree = JSON.readTree(
                CapturedRun.withInput(CLUSTER, args.toArray(String[]::new)).out());
        assertThat(JsonSchema.problems("fit", tree)).isEmpty();
        assertThat(tree.path("succeeded").asBoolean()).isEqualTo(asked.exitCode == 0);
    }

    record Refused(String name, List<String> args, String manifest, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refused> refused() {
        String good = pod("p", "", "", "cpu: 1");
        return Stream.of(
                new Refused(
                        "no cluster",
                        List.of(),
                        good,
                        "no cluster configured: pass --cluster FILE or --kubeconfig FILE, or set KUBECONFIG"),
                new Refused("no room for copies", List.of("--cluster", "-", "--limit", "0"), good, "--limit: 0"),
                new Refused(
                        "no workload",
                        List.of("--cluster", "-"),
                        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
                        "no pod and no workload"),
                new Refused("no YAML", List.of("--cluster", "-"), "{{{", "manifest.yaml"),
                new Refused(
                        "another scheduler",
                        List.of("--cluster", "-"),
                        pod("p", "", "schedulerName: other", "cpu: 1"),
                        "pod default/p is for the scheduler \"other\""),
                new Refused(
                        "too many replicas to count",
                        List.of("--cluster", "-"),
                        workload("Deployment", "many", 10_000_000_000L, "1"),
                        "replicas"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatMakesNoSense(Refused asked) throws IOException {
        List<String> args = new ArrayList<>(List.of("fit", file(asked.manifest)));
        args.addAll(asked.args);

        CapturedRun run = CapturedRun.withInput(CLUSTER, args.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("error: ").contains(asked.message).doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void countsAsManyReplicasAsFitOneByOne(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder cluster = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            cluster.append("""
                    {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n%d", "labels": {"kubernetes.io/hostname": "n%d"}},
                     "status": {"allocatable": {"cpu": "%d", "memory": "16Gi", "pods": "%d"}}}
                    """.formatted(i, i, 1 + random.nextInt(8), 1 + random.nextInt(12)));
        }
        String spread = random.nextBoolean()
                ? "topologySpreadConstraints: [{maxSkew: 2, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule,"
                        + " labelSelector: {matchLabels: {}}}]"
                : "";
        String manifest = file(pod("p", "", spread, "cpu: " + (200 + random.nextInt(2000)) + "m"));
        Path dump = Files.writeString(folder.resolve("cluster.jsonl"), cluster.toString());

        JsonNode answer = JSON.readTree(
                        CapturedRun.of("fit", manifest, "--max", "--cluster", dump.toString(), "-o", "json")
                                .out())
                .path("manifests")
                .path(0);

        assertThat(answer.path("scheduled").asInt()
                        + answer.path("more").path("pods").asInt())
                .as("seed %d", seed)
                .isEqualTo(placedOneByOne(manifest, dump));
    }

    private static int placedOneByOne(String manifest, Path file) {
        Manifests manifests = new Manifests(CONFIG.featureGates());
        ClusterDump dump = new ClusterDumpReader(CONFIG, PLUGINS)
                .reportingTo(manifests)
                .read(List.of(file.toString()), InputStream.nullInputStream());
        List<Node> nodes = List.of();
        ManifestPods asked = manifests
                .read(List.of(manifest), InputStream.nullInputStream(), nodes)
                .pods()
                .get(0);
        AdmittedPod template = asked.pods().get(0);
        int placed = 0;
        try (WhatIf cluster = Scheduler.whatIf(dump.objects(), CONFIG, PLUGINS);
                Transaction transaction = cluster.begin()) {
            Pod next = template.pod();
            while (transaction.place(List.of(next)).isComplete()) {
                placed++;
                next = template.copy(placed).pod();
            }
        }
        return placed;
    }

    @Test
    void givesReplicasSeparateClaims() throws IOException {
        String cluster = CLUSTER + """
                {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "disk"}, "provisioner": "d",
                 "volumeBindingMode": "WaitForFirstConsumer"}
                """;
        String manifest = file("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]
                  volumes:
                  - name: scratch
                    ephemeral:
                      volumeClaimTemplate:
                        spec:
                          accessModes: [ReadWriteOnce]
                          storageClassName: disk
                          resources: {requests: {storage: 1Gi}}
                """);

        CapturedRun run = CapturedRun.withInput(cluster, "fit", manifest, "--max", "--cluster", "-");

        assertThat(run.out())
                .contains("The pod fits.", "4 more replicas of Pod default/p would fit", "Insufficient cpu");
    }
}
