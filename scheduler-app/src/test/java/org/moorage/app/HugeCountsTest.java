// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers in input that would take all memory if something was made for each. */
class HugeCountsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apps/v1  | Deployment            | replicas: 2147483647    | {matchLabels: {a: b}} | Always",
                "apps/v1  | ReplicaSet            | replicas: 500001        | {matchLabels: {a: b}} | Always",
                "v1       | ReplicationController | replicas: 2147483647    | {a: b}                | Always",
                "apps/v1  | StatefulSet           | replicas: 2147483647    | {matchLabels: {a: b}} | Always",
                "batch/v1 | Job                   | parallelism: 2147483647 | null                  | Never",
            })
    void aWorkloadOfMorePodsThanAreMadeIsRefused(
            String apiVersion, String kind, String count, String selector, String restartPolicy) {
        String template = "{metadata: {labels: {a: b}}, spec: {restartPolicy: " + restartPolicy
                + ", containers: [{name: a, image: b}]}}";
        String manifest = "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: a}, spec: {" + count
                + ", selector: " + selector + ", template: " + template + "}}";

        CapturedRun run = CapturedRun.withInput(manifest, "simulate", "-", CapturedRun.FIRST);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("spec." + count + " (expected: at most 500000, since each pod is made)");
    }

    @Test
    void aJobHasNoMorePodsThanCompletions() {
        String manifest =
                "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: 2147483647, completions: 2,"
                        + " template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}";

        assertThat(CapturedRun.withInput(manifest, "simulate", "-", CapturedRun.FIRST)
                        .exitCode())
                .isZero();
    }

    @Test
    void answersOfAHugeWorkListAreMergedInLittleMemory() {
        CapturedRun run = CapturedRun.withInput(
                "{\"number\":3,\"of\":2147483647,\"question\":\"drain a\",\"exitCode\":0,\"answer\":{}}\n",
                "batch",
                "merge",
                "-");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("1 of 2147483647 answers: 1 yes, 0 no, 0 failed\n"
                        + "error: missing: 1 to 2, 4 to 2147483647 (expected: an answer to each question)\n");
        assertThat(CapturedRun.withInput("{\"number\":1,\"of\":99999999999}\n", "batch", "merge", "-")
                        .err())
                .isEqualTo(
                        "error: stdin: answer 1 of 99999999999 (expected: 1 to as many as there are, of one work list)\n");
    }
}
