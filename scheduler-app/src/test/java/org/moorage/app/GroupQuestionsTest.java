// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Questions about the pods of groups, which are placed together or not at all. */
class GroupQuestionsTest {
    private static final String GATES = "GenericWorkload=true,WorkloadWithJob=true";
    // One of the two pending pods would fit.
    private static final String CLUSTER = """
            apiVersion: v1
            kind: Node
            metadata: {name: a, labels: {node.kubernetes.io/instance-type: large}}
            status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: there}
            spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
            ---
            apiVersion: scheduling.k8s.io/v1beta1
            kind: PodGroup
            metadata: {name: gang}
            spec: {schedulingPolicy: {gang: {minCount: 2}}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: gang-1}
            spec: {schedulingGroup: {podGroupName: gang}, containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: gang-2}
            spec: {schedulingGroup: {podGroupName: gang}, containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}
            """;

    @TempDir
    private Path folder;

    private static String job(int pods) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: training}
                spec:
                  parallelism: %d
                  completions: %d
                  completionMode: Indexed
                  scheduling: {schedulingPolicy: {gang: {}}}
                  template:
                    spec:
                      restartPolicy: Never
                      containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]
                """.formatted(pods, pods);
    }

    private record Case(String name, String manifest, List<String> question, int exitCode, List<String> said) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                """;
        return Stream.of(
                new Case(
                        "a job that is a gang fits with all of its pods or none",
                        job(2),
                        List.of("fit", "{file}"),
                        1,
                        List.of("0 of 2 pods fit")),
                new Case(
                        "without the features its pods are placed one by one",
                        job(2),
                        List.of("fit", "{file}", "--feature-gates", "GenericWorkload=false,WorkloadWithJob=false"),
                        1,
                        List.of("1 of 2 pods fits")),
                new Case(
                        "new nodes are for the whole gang",
                        "",
                        List.of("scale-up", "large", "--max-nodes", "5"),
                        0,
                        List.of(
                                "2 pods are pending; the existing nodes have room for none of them.",
                                "1 large node fits all 2 pending pods.")),
                new Case(
                        "a gang waits whole by both configurations",
                        config,
                        List.of("compare", "{file}", "{file}"),
                        0,
                        List.of("Both schedule all pods to the same nodes.", "asked.yaml (again)")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answers(Case asked) throws IOException {
        Path file = Files.writeString(folder.resolve("asked.yaml"), asked.manifest);
        List<String> args = new ArrayList<>();
        asked.question.forEach(arg -> args.add(arg.replace("{file}", file.toString())));
        args.addAll(List.of("--cluster", "-"));
        if (!args.contains("--feature-gates")) {
            args.addAll(List.of("--feature-gates", GATES));
        }

        CapturedRun run = CapturedRun.withInput(CLUSTER, args.toArray(String[]::new));

        assertThat(run.out() + run.err()).contains(asked.said);
        assertThat(run.exitCode()).isEqualTo(asked.exitCode);
    }
}
