// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private static final JsonMapper JSON = new JsonMapper();

    private static CapturedRun explain(String pod, String... args) {
        List<String> all = new ArrayList<>(
                List.of("explain", "--config", CapturedRun.elevenPlugins(), pod, "--cluster", CapturedRun.FIRST));
        all.addAll(List.of(args));
        return CapturedRun.of(all.toArray(String[]::new));
    }

    @Test
    void showsTheNodeOfAPodNow() {
        CapturedRun run = explain("report", "--now");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("""
                        default/report would be scheduled to batch-1 with score 662; 3 of 6 nodes are feasible.
                        Evaluated in the cluster as it is; no pending pod was scheduled first.

                        Rejected: 3 of 6 nodes:
                          TaintToleration     node(s) had untolerated taint(s)   2 nodes: control-1, gpu-1
                          NodeUnschedulable   node(s) were unschedulable         1 node: web-3

                        Weighted scores:
                                                                            Node
                                                                       Resources
                                               Image                    Balanced           Node        Taint
                          NODE      TOTAL   Locality   NodeAffinity   Allocation   ResourcesFit   Toleration
                        * batch-1     662          0            200           75             87          300
                          web-1       425          0              0           75             50          300
                          web-2       400          0              0           75             25          300
                        """);
    }

    @Test
    void explainsAnUnschedulablePodWithEveryPluginsResult() {
        assertThat(explain("default/train", "--now").out()).isEqualTo("""
                        default/train would be unschedulable: 0/6 nodes are available: 1 Insufficient cpu, 1 node(s) were \
                        unschedulable, 2 Insufficient memory, 2 node(s) had untolerated taint(s), 3 Insufficient \
                        example.com/gpu.
                        Evaluated in the cluster as it is; no pending pod was scheduled first.

                        Rejected: 6 of 6 nodes:
                          NodeResourcesFit    Insufficient example.com/gpu       6 nodes: batch-1, control-1, gpu-1, \
                        web-1, web-2, web-3
                          NodeResourcesFit    Insufficient memory                4 nodes: control-1, web-1, web-2, web-3
                          NodeResourcesFit    Insufficient cpu                   2 nodes: control-1, web-2
                          TaintToleration     node(s) had untolerated taint(s)   2 nodes: batch-1, control-1
                          NodeUnschedulable   node(s) were unschedulable         1 node: web-3

                        Any of these would make it fit:
                          lower its request by example.com/gpu 2   1 node: gpu-1
                        """);
    }

    @Test
    void takesABoundPodOffItsNode() {
        assertThat(explain("cache-1").out()).startsWith("""
                        default/cache-1 would be scheduled to one of web-1, web-2 with score 450; 2 of 6 nodes are feasible.
                        Evaluated in the cluster as it is; no pending pod was scheduled first.
                        The pod runs on web-2. It is evaluated as if it were pending and not on that node.
                        """);
    }

    @Test
    void looksPastSchedulingGatesAtTheEnd() {
        assertThat(explain("invoices").out()).startsWith("""
                        default/invoices is gated by SchedulingGates: waiting for scheduling gates: [example.com/quota]. \
                        Without the gate, it would be scheduled to web-2 with score 412; 2 of 6 nodes are feasible.
                        Evaluated at the end of the simulation, since the pod has no turn: 11 other pods were tried before.
                        """);
    }

    @Test
    void showsTheResultOfAPodAtItsTurn() {
        assertThat(explain("ingress-3").out()).isEqualTo("""
                        default/ingress-3 is unschedulable: 0/6 nodes are available: 1 node(s) were unschedulable, 2 node(s) \
                        didn't have free ports for the requested pod ports, 3 node(s) had untolerated taint(s).
                        Evaluated at its turn in the simulation: 6 other pods were tried before.

                        Rejected: 6 of 6 nodes:
                          TaintToleration     node(s) had untolerated taint(s)                             3 nodes: \
                        batch-1, control-1, gpu-1
                          NodePorts           node(s) didn't have free ports for the requested pod ports   2 nodes: \
                        web-1, web-2
                          NodeUnschedulable   node(s) were unschedulable                                   1 node: web-3

                        Any of these would make it fit:
                          tolerate dedicated=batch:NoSchedule                         1 node: batch-1
                          tolerate example.com/gpu:NoSchedule                         1 node: gpu-1
                          tolerate node-role.kubernetes.io/control-plane:NoSchedule   1 node: control-1
                          uncordon web-3                                              1 node: web-3
                          evict default/ingress-1                                     1 node: web-1
                        """);
    }

    @Test
    void agreesWithSimulateAboutEveryPod() throws IOException {
        JsonNode simulated = JSON.readTree(
                CapturedRun.of("simulate", "-o", "json", "--config", CapturedRun.elevenPlugins(), CapturedRun.FIRST)
                        .out());

        for (JsonNode pod : simulated.path("pods")) {
            JsonNode answer = JSON.readTree(
                    explain(pod.path("pod").asText(), "-o", "json").out());
            assertThat(answer.path("outcome")).isEqualTo(pod);
            boolean isPlaced = pod.path("outcome").asText().equals("scheduled");
            if (isPlaced) {
                assertThat(answer.path("best")).contains(pod.path("node"));
            } else if (pod.path("outcome").asText().equals("unschedulable")) {
                assertThat(answer.path("message")).isEqualTo(pod.path("message"));
            }
        }
    }

    @Test
    void omitsPluginsWithEqualScoresOnNarrowTerminals() {
        CapturedRun run = CapturedRun.onTerminal(
                70,
                "explain",
                "--config",
                CapturedRun.elevenPlugins(),
                "report",
                "--cluster",
                CapturedRun.FIRST,
                "--now");

        assertThat(run.out().replaceAll("\u001b\\[[0-9;]*m", "")).contains("""
                                                         Node
                          NODE      TOTAL   NodeAffinity   ResourcesFit
                        * batch-1     662            200             87
                          web-1       425              0             50
                          web-2       400              0             25
                          The same for all: ImageLocality 0,
                        NodeResourcesBalancedAllocation 75, TaintToleration 300
                        """);
    }

    @Test
    void namesTheChosenNodeFirstOfItsEquals() throws IOException {
        StringBuilder cluster = new StringBuilder();
        // kube-scheduler's order puts the last of these on top.
        for (int i = 0; i < 4; i++) {
            cluster.append("""
                    {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "node-%d"},
                     "status": {"allocatable": {"cpu": "%d", "memory": "8Gi", "pods": "10"}}}
                    """.formatted(i, i < 2 ? 2 : 8));
        }
        cluster.append("""
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {"containers": [
                 {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
                """);

        JsonNode answer =
                JSON.readTree(CapturedRun.withInput(cluster.toString(), "explain", "-o", "json", "p", "--cluster", "-")
                        .out());

        assertThat(answer.path("best")).extracting(JsonNode::asText).containsExactly("node-2", "node-3");
        assertThat(answer.path("outcome").path("node").asText()).isEqualTo("node-3");
        assertThat(answer.path("scores").path(0).path("node").asText()).isEqualTo("node-3");
    }

    @Test
    void answersInJson() throws IOException {
        JsonNode answer = JSON.readTree(explain("render", "--now", "-o", "json").out());

        assertThat(answer).isEqualTo(JSON.readTree("""
                                {"pod": "default/render", "moment": "now", "podsBefore": 0, "changes": [], "fits": true, "message": "", "notes": [], "nodeCount": 6,
                                 "best": ["gpu-1"],
                                 "scores": [{"node": "gpu-1", "total": 450, "plugins": {
                                   "ImageLocality": 0, "NodeResourcesBalancedAllocation": 75, "NodeResourcesFit": 75,
                                   "TaintToleration": 300}}],
                                 "rejections": [
                                   {"plugin": "NodeResourcesFit", "message": "Insufficient example.com/gpu",
                                    "nodes": ["batch-1", "control-1", "web-1", "web-2", "web-3"]},
                                   {"plugin": "NodeResourcesFit", "message": "Insufficient memory",
                                    "nodes": ["control-1", "web-2"]},
                                   {"plugin": "TaintToleration", "message": "node(s) had untolerated taint(s)",
                                    "nodes": ["batch-1", "control-1"]},
                                   {"plugin": "NodeUnschedulable", "message": "node(s) were unschedulable",
                                    "nodes": ["web-3"]}]}
                                """));
    }

    @Test
    void asksForTheNamespaceOfANameThatSeveralPodsHave() {
        String pods = """
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x", "namespace": "a"}, "spec": {}}
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x", "namespace": "b"}, "spec": {}}
                """;

        CapturedRun run = CapturedRun.withInput(pods, "explain", "x", "--cluster", "-");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("error: pod \"x\" is in several namespaces (expected: one of a/x, b/x)\n");
    }

    @Test
    void refusesAPodOfAnotherScheduler() {
        String pod = """
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x"}, "spec": {"schedulerName": "other"}}
                """;

        CapturedRun run =
                CapturedRun.withInput(pod, "explain", "--config", CapturedRun.elevenPlugins(), "x", "--cluster", "-");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("note: 1 pending pod names the scheduler \"other\"")
                .endsWith(
                        "\nerror: pod default/x is for the scheduler \"other\" (expected: default-scheduler; --scheduler-name schedules it by another profile)\n");
    }

    @Test
    void findsAPodThatWasCreatedAgain() {
        String cluster = """
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
                 "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "old", "uid": "u", "ownerReferences": [
                 {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set", "uid": "s", "controller": true}]},
                 "spec": {"priority": 0, "nodeName": "a", "containers": [
                 {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}]}}
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "urgent"}, "spec": {"priority": 10, "containers": [
                 {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}]}}
                """;
        String shown = CapturedRun.withInput(cluster, "simulate", "-").out();
        Matcher created =
                Pattern.compile("created again as default/(set-[a-z0-9]{5})").matcher(shown);
        assertThat(created.find()).as(shown).isTrue();

        assertThat(CapturedRun.withInput(cluster, "explain", created.group(1), "--cluster", "-")
                        .out())
                .contains("default/" + created.group(1), "Insufficient cpu");
        assertThat(CapturedRun.withInput(cluster, "explain", "set-none", "--cluster", "-")
                        .err())
                .contains("pod \"set-none\" not found among the 2 pods of the cluster.");
    }
}
