// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** How a group of pods is asked about, and what is answered. */
class ExplainGroupTest {
    private static final String ALL_GATES = CapturedRun.GROUP_GATES + ",CompositePodGroup=true";
    private static final String URGENT = """
            apiVersion: scheduling.k8s.io/v1beta1
            kind: PodGroup
            metadata: {name: urgent}
            spec: {priority: 100, schedulingPolicy: {gang: {minCount: 3}}}
            """ + pod(0) + pod(1) + pod(2);

    @TempDir
    Path folder;

    private static String pod(int number) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: urgent-%d}
                spec:
                  priority: 100
                  schedulingGroup: {podGroupName: urgent}
                  containers: [{name: main, image: mpi, resources: {requests: {cpu: "8"}}}]
                """.formatted(number);
    }

    private static CapturedRun explain(String gates, String... args) {
        List<String> all = new ArrayList<>(List.of("explain", "--feature-gates", gates));
        all.addAll(List.of(args));
        return CapturedRun.of(all.toArray(String[]::new));
    }

    /**
     * A question and how its answer begins.
     *
     * @param out what is printed first; empty if the question is refused
     * @param err what is said of it otherwise
     */
    private record Case(String asked, String gates, String out, String err) {
        @Override
        public String toString() {
            return asked + " with " + gates;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "podgroup/chemistry",
                    CapturedRun.GROUP_GATES,
                    "PodGroup default/chemistry is placed: 3 of 3 pods",
                    ""),
            new Case("podgroup/default/chemistry", ALL_GATES, "PodGroup default/chemistry is placed: 3 of 3 pods", ""),
            new Case("chemistry-1", CapturedRun.GROUP_GATES, "PodGroup default/chemistry is placed: 3 of 3 pods", ""),
            new Case("default/chemistry-1", "GenericWorkload=false", "default/chemistry-1 is scheduled to node-", ""),
            new Case("nightly-0", CapturedRun.GROUP_GATES, "default/nightly-0 would be scheduled to ", ""),
            new Case("podgroup/nightly", CapturedRun.GROUP_GATES, "PodGroup default/nightly has no pending pods.", ""),
            new Case(
                    "podgroup/biology",
                    CapturedRun.GROUP_GATES,
                    "PodGroup default/biology is gated by GangScheduling: waiting for minCount pods from a gang to appear in"
                            + " scheduling queue. It has 1 of the 2 pods that it needs.",
                    ""),
            new Case(
                    "podgroup/physic",
                    CapturedRun.GROUP_GATES,
                    "",
                    "podgroup \"physic\" is not among the 5 podgroups of the cluster. Did you mean physics?"),
            new Case(
                    "podgroup/physics",
                    "GenericWorkload=false",
                    "",
                    "podgroup/default/physics: the feature GenericWorkload is off, so that it is not scheduled as a group"
                            + " (expected: --feature-gates GenericWorkload=true)"),
            new Case(
                    "compositepodgroup/physics",
                    ALL_GATES,
                    "",
                    "compositepodgroup \"physics\" is not among the 0 compositepodgroups of the cluster."));

    @ParameterizedTest
    @FieldSource("CASES")
    void answersAboutTheGroupThatIsMeant(Case tried) {
        CapturedRun run = explain(tried.gates, tried.asked, "--cluster", CapturedRun.GROUPS);

        assertThat(run.out()).startsWith(tried.out);
        assertThat(run.err()).contains(tried.err);
        int expected = tried.out.isEmpty() ? 2 : tried.out.contains("is gated") ? 1 : 0;
        assertThat(run.exitCode()).isEqualTo(expected);
    }

    @Test
    void showsTheVictimGroups() throws IOException {
        Path urgent = Files.writeString(folder.resolve("urgent.yaml"), URGENT);

        CapturedRun run = explain(
                CapturedRun.GROUP_GATES,
                "--now",
                "podgroup/urgent",
                "--cluster",
                CapturedRun.GROUPS,
                "--cluster",
                urgent.toString());

        assertThat(run.out()).endsWith("""
                        default/urgent-2 stops it:
                          NodeResourcesFit   Insufficient cpu   4 nodes: node-1, node-2, node-3, node-4

                        Missing there: room for 1 more pod with cpu 8.
                          NODE     FREE    LACKS FOR ANOTHER
                          node-1   cpu 5   cpu 3
                          node-3   cpu 5   cpu 3
                          node-2   cpu 0   cpu 8
                          node-4   cpu 0   cpu 8

                        PodGroupPostFilter: DefaultPreemption: pod group preemption: found a placement for podgroup, \
                        preempting 2 victims
                          PREEMPTED                  PODS
                          PodGroup default/nightly      2   default/nightly-1, default/nightly-0
                        """);
    }

    @Test
    void showsThePathFromACompositeGroupToItsBlocker() throws IOException {
        Path cluster = Files.writeString(
                folder.resolve("composite.yaml"),
                """
                apiVersion: v1
                kind: Node
                metadata: {name: node-1}
                status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
                ---
                apiVersion: scheduling.k8s.io/v1alpha3
                kind: CompositePodGroup
                metadata: {name: all}
                spec:
                  workloadRef: {workloadName: w, templateName: all}
                  schedulingPolicy: {gang: {minGroupCount: 1}}
                ---
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: urgent}
                spec:
                  parentCompositePodGroupName: all
                  workloadRef: {workloadName: w, templateName: urgent}
                  schedulingPolicy: {gang: {minCount: 2}}
                """ + pod(0).replace("  priority: 100\n", "") + pod(1).replace("  priority: 100\n", ""));

        CapturedRun run = explain(ALL_GATES, "--now", "compositepodgroup/all", "--cluster", cluster.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("""

                        CompositePodGroup default/all needs 1 groups. Placements tried:
                          PLACEMENT   NODES   PLACED     MESSAGE
                        * all nodes       1   0 groups""").contains("""

                        PodGroup default/urgent needs 2 pods. Placements tried:
                          PLACEMENT   NODES   PLACED   MESSAGE
                        * all nodes       1   1 pods""").contains("\ndefault/urgent-1 stops it:\n");
    }
}
