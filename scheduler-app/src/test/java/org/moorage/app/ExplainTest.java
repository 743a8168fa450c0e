// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private static final JsonMapper JSON = new JsonMapper();

    private static CapturedRun explain(String pod, String... args) {
        List<String> all =
                new ArrayList<>(List.of("explain", "--config", CapturedRun.elevenPlugins(), pod, CapturedRun.FIRST));
        all.addAll(List.of(args));
        return CapturedRun.of(all.toArray(String[]::new));
    }

    @Test
    void tellsWhereAPodWouldGo() {
        CapturedRun run = explain("report");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("""
                        default/report would go to batch-1 with score 662, 3 of 6 nodes would do.

                        Not on 3 of 6 nodes:
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
    void tellsWhyAPodFitsNowhereWithEveryPluginsVerdict() {
        assertThat(explain("default/train").out()).isEqualTo("""
                        default/train fits nowhere: 0/6 nodes are available: 1 Insufficient cpu, 1 node(s) were \
                        unschedulable, 2 Insufficient memory, 2 node(s) had untolerated taint(s), 3 Insufficient \
                        example.com/gpu.

                        Not on 6 of 6 nodes:
                          NodeResourcesFit    Insufficient example.com/gpu       6 nodes: batch-1, control-1, gpu-1, \
                        web-1, web-2, web-3
                          NodeResourcesFit    Insufficient memory                4 nodes: control-1, web-1, web-2, web-3
                          NodeResourcesFit    Insufficient cpu                   2 nodes: control-1, web-2
                          TaintToleration     node(s) had untolerated taint(s)   2 nodes: batch-1, control-1
                          NodeUnschedulable   node(s) were unschedulable         1 node: web-3
                        """);
    }

    @Test
    void takesABoundPodOffItsNode() {
        assertThat(explain("cache-1").out()).startsWith("""
                        default/cache-1 would go to one of web-1, web-2 with score 450, 2 of 6 nodes would do.
                        The pod is on web-2. This is as if it still waited, and took no room there.
                        """);
    }

    @Test
    void looksPastSchedulingGates() {
        assertThat(explain("invoices").out())
                .startsWith("default/invoices would go to web-1 ")
                .contains("\nThe pod waits for scheduling gates (example.com/quota). This is as if they were gone.\n");
    }

    @Test
    void answersInJson() throws IOException {
        JsonNode answer = JSON.readTree(explain("render", "-o", "json").out());

        assertThat(answer).isEqualTo(JSON.readTree("""
                                {"pod": "default/render", "fits": true, "message": "", "notes": [], "nodeCount": 6,
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

        CapturedRun run = CapturedRun.withInput(pods, "explain", "x", "-");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("error: pod \"x\" is in several namespaces (expected: one of a/x, b/x)\n");
    }

    @Test
    void refusesAPodOfAnotherScheduler() {
        String pod = """
                {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x"}, "spec": {"schedulerName": "other"}}
                """;

        CapturedRun run = CapturedRun.withInput(pod, "explain", "--config", CapturedRun.elevenPlugins(), "x", "-");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("error: pod default/x is for the scheduler \"other\" (expected: default-scheduler)\n");
    }
}
