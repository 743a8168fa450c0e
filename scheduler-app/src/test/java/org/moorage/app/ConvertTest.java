// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests {@code moorage convert} and {@code moorage config convert --native-gangs}. */
class ConvertTest {
    private static final Path GANG = Path.of("..", "plugins-sigs", "cluster.yaml");

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /**
     * A manifest.
     *
     * @param note a part of the notes
     */
    record Case(String name, String before, String after, String note) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a group with comments", """
                        # The gang.
                        apiVersion: scheduling.x-k8s.io/v1alpha1   # Coscheduling
                        kind: PodGroup
                        metadata:
                          name: train
                          labels: {team: a}
                        spec:

                          # all of them
                          minMember: 4
                          scheduleTimeoutSeconds: 30   # half a minute
                          minResources:
                            cpu: "4"
                            memory: 4Gi   # together
                        status:
                          phase: Pending
                        """,
                    """
                    # The gang.
                    apiVersion: scheduling.k8s.io/v1beta1   # Coscheduling
                    kind: PodGroup
                    metadata:
                      name: train
                      labels: {team: a}
                    spec:

                      # all of them
                      schedulingPolicy:
                        gang:
                          minCount: 4
                      # Not converted: Kubernetes places all pods of a gang in one attempt, so that no pod waits for this timeout.
                      # scheduleTimeoutSeconds: 30   # half a minute
                      # Not converted: Kubernetes binds no pod of a gang unless enough of its pods fit.
                      # minResources:
                      #   cpu: "4"
                      #   memory: 4Gi   # together
                    """, "PodGroup default/train: spec.minResources: Not converted"),
            new Case(
                    "the template of a Job, and the priority of its group",
                    """
                    apiVersion: batch/v1
                    kind: Job
                    metadata: {name: train, namespace: ml}
                    spec:
                      template:
                        metadata:
                          labels:
                            # the gang
                            scheduling.x-k8s.io/pod-group: train
                            app: train
                        spec:
                          # workers
                          priorityClassName: high
                          containers: [{name: c, image: i}]
                    ---
                    apiVersion: scheduling.x-k8s.io/v1alpha1
                    kind: PodGroup
                    metadata: {name: train, namespace: ml}
                    spec:
                      minMember: 2
                    """,
                    """
                    apiVersion: batch/v1
                    kind: Job
                    metadata: {name: train, namespace: ml}
                    spec:
                      template:
                        metadata:
                          labels:
                            # the gang
                            app: train
                        spec:
                          # workers
                          schedulingGroup:
                            podGroupName: train
                          priorityClassName: high
                          containers: [{name: c, image: i}]
                    ---
                    apiVersion: scheduling.k8s.io/v1beta1
                    kind: PodGroup
                    metadata: {name: train, namespace: ml}
                    spec:
                      schedulingPolicy:
                        gang:
                          minCount: 2
                      priorityClassName: high
                    """,
                    "1 PodGroup and 1 pod or template converted"),
            new Case(
                    "a list in flow style", """
                        kind: List
                        apiVersion: v1
                        items:
                        - {apiVersion: v1, kind: Pod, metadata: {name: a, labels: {x: y, scheduling.x-k8s.io/pod-group: g}}, spec: {containers: []}}
                        - {apiVersion: v1, kind: Pod, metadata: {name: b, labels: {scheduling.x-k8s.io/pod-group: "123"}}, spec: {containers: []}}
                        - {apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 1}, status: {}}
                        """,
                    """
                    kind: List
                    apiVersion: v1
                    items:
                    - {apiVersion: v1, kind: Pod, metadata: {name: a, labels: {x: y}}, spec: {schedulingGroup: {podGroupName: g}, containers: []}}
                    - {apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {schedulingGroup: {podGroupName: "123"}, containers: []}}
                    - {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {schedulingPolicy: {gang: {minCount: 1}}}}
                    """, "1 PodGroup and 2 pods or templates converted"),
            new Case(
                    "JSON", """
                        {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "g"},
                         "spec": {"minMember": 3, "minResources": {"cpu": 3}}}
                        """,
                    """
                    {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"},
                     "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}}
                    """, "spec.minResources"),
            new Case(
                    "an anchor, and characters beyond 16 bits",
                    """
                    # \uD83D\uDE80
                    apiVersion: v1
                    kind: Pod
                    metadata: &m
                      name: a
                      labels: {scheduling.x-k8s.io/pod-group: g}
                    spec: &s
                      containers: []   # \uD83D\uDE80
                    """,
                    """
                    # \uD83D\uDE80
                    apiVersion: v1
                    kind: Pod
                    metadata: &m
                      name: a
                    spec: &s
                      schedulingGroup:
                        podGroupName: g
                      containers: []   # \uD83D\uDE80
                    """,
                    "0 PodGroups and 1 pod or template converted"),
            new Case(
                    "a group without members to count", """
                        apiVersion: scheduling.x-k8s.io/v1alpha1
                        kind: PodGroup
                        metadata: {name: g}
                        """,
                    """
                    spec:
                      schedulingPolicy:
                        basic: {}
                    apiVersion: scheduling.k8s.io/v1beta1
                    kind: PodGroup
                    metadata: {name: g}
                    """, "schedulingPolicy basic"),
            new Case(
                    "a label that a selector names", """
                        apiVersion: apps/v1
                        kind: Deployment
                        metadata: {name: d}
                        spec:
                          selector: {matchLabels: {scheduling.x-k8s.io/pod-group: g}}
                          template:
                            metadata: {labels: {scheduling.x-k8s.io/pod-group: g}}
                            spec: {containers: []}
                        """,
                    """
                    apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: d}
                    spec:
                      selector: {matchLabels: {scheduling.x-k8s.io/pod-group: g}}
                      template:
                        metadata: {labels: {scheduling.x-k8s.io/pod-group: g}}
                        spec: {schedulingGroup: {podGroupName: g}, containers: []}
                    """, "line 7 of the result still names scheduling.x-k8s.io"),
            new Case(
                    "nothing to convert", """
                        apiVersion: v1
                        kind: Node
                        metadata:   {name: a}
                        """,
                    """
                    apiVersion: v1
                    kind: Node
                    metadata:   {name: a}
                    """, "nothing is converted"));

    @ParameterizedTest
    @FieldSource("CASES")
    void convertsGangsAndKeepsTheRest(Case c) {
        CapturedRun run = CapturedRun.withInput(c.before, "convert", "-");

        assertThat(run.out()).isEqualTo(c.after);
        assertThat(run.err()).contains(c.note);
        assertThat(run.exitCode()).isZero();
        // A second time, nothing is left to convert.
        assertThat(CapturedRun.withInput(run.out(), "convert", "-").out()).isEqualTo(run.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec: {minMember: three}|spec.minMember: \"three\" (expected: a number up to 2147483647)",
                "spec: {minMember: 99999999999}|spec.minMember: \"99999999999\" (expected: a number up to 2147483647)",
                "spec: [|expected the node content",
            })
    void namesWhatItCannotRead(String spec, String error) {
        CapturedRun run = CapturedRun.withInput(
                "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g}\n" + spec + "\n",
                "convert",
                "-");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: stdin:").contains(error).hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void deepNestingIsAnError() {
        CapturedRun run = CapturedRun.withInput("a: " + "[".repeat(100_000), "convert", "-");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: stdin").hasLineCount(1);
    }

    /** The test of plugins-sigs simulates the same file with Coscheduling, and expects the same. */
    @ParameterizedTest
    @CsvSource({"1, 3", "2, 3", "3, 0", "4, 0"})
    void convertedGangIsPlacedWholeOrNotAtAll(String cpu, int placed) throws IOException {
        String gang = Files.readString(GANG).replace("cpu: \"1\"", "cpu: \"" + cpu + "\"");
        String converted = CapturedRun.of("convert", file("gang.yaml", gang)).out();

        CapturedRun run = CapturedRun.of(
                "simulate", "--feature-gates=GenericWorkload=true", "-o", "json", file("native.yaml", converted));

        assertThat(converted).doesNotContain("scheduling.x-k8s.io");
        assertThat(JSON.readTree(run.out()).path("summary").path("scheduled").asInt())
                .as(run.out())
                .isEqualTo(placed);
    }

    @Test
    void convertsSeveralFilesIntoOneStream() throws IOException {
        CapturedRun run = CapturedRun.of(
                "convert",
                file("a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: a}"),
                file("b.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n"));

        assertThat(run.out())
                .isEqualTo("apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n"
                        + "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n");
    }

    private static final String HEAD =
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n";

    static final List<Case> CONFIGS = List.of(
            new Case(
                    "a sort in place of PrioritySort",
                    """
                    - schedulerName: gangs
                      plugins:
                        queueSort: {disabled: [{name: PrioritySort}]}
                        multiPoint: {enabled: [{name: Coscheduling}, {name: ImageLocality}]}
                      pluginConfig:
                      - name: Coscheduling
                        args: {permitWaitingTimeSeconds: 10}
                    """,
                    """
                    - schedulerName: gangs
                      plugins:
                        multiPoint:
                          enabled:
                          - {name: ImageLocality}
                    """,
                    "Coscheduling's permitWaitingTimeSeconds is not converted"),
            new Case(
                    "each extension point", """
                        - schedulerName: gangs
                          plugins:
                            queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: '*'}]}
                            preFilter: {enabled: [{name: Coscheduling}]}
                            permit: {enabled: [{name: Coscheduling}]}
                        """,
                    """
                    - schedulerName: gangs
                    """, "--feature-gates=GenericWorkload=true"),
            new Case(
                    "no default plugins", """
                        - plugins:
                            multiPoint:
                              enabled: [{name: Coscheduling}, {name: NodeResourcesFit}, {name: DefaultBinder}]
                              disabled: [{name: '*'}]
                        """,
                    """
                    - plugins:
                        multiPoint:
                          enabled:
                          - {name: NodeResourcesFit}
                          - {name: DefaultBinder}
                          - {name: GangScheduling}
                          disabled:
                          - {name: "*"}
                        queueSort:
                          enabled:
                          - {name: PrioritySort}
                    """, "--feature-gates=GenericWorkload=true"));

    @ParameterizedTest
    @FieldSource("CONFIGS")
    void convertsConfigurations(Case c) throws IOException {
        CapturedRun run =
                CapturedRun.of("config", "convert", "--native-gangs", file("scheduler.yaml", HEAD + c.before));

        assertThat(run.out()).isEqualTo(HEAD + c.after);
        assertThat(run.err()).contains(c.note);
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void configurationWithoutCoschedulingIsAnError() throws IOException {
        CapturedRun run =
                CapturedRun.of("config", "convert", "--native-gangs", file("scheduler.yaml", HEAD + "- {}\n"));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("none enables Coscheduling");
    }
}
