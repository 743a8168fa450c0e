// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WhatIfBenchmarkTest {
    // Room for three pods of two cores: one on a, two on b.
    private static final String CLUSTER = """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4","memory":"64Gi","pods":"9"}}}
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"cpu":"4","memory":"64Gi","pods":"9"}}}
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"there","namespace":"default","uid":"1"},"spec":{"nodeName":"a","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"2"}}}]}}
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"asked","namespace":"default","uid":"2"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"2"}}}]}}
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"big","namespace":"default","uid":"3"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"3"}}}]}}
            """;

    @TempDir
    private Path folder;

    private Path cluster;

    @BeforeEach
    void writeCluster() throws IOException {
        cluster = Files.writeString(folder.resolve("cluster.jsonl"), CLUSTER);
    }

    private static String run(String... args) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        WhatIfBenchmark.run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"howmany, 3", "fits, 2", "fork, 1", "drain, 1"})
    void timesEachQuestion(String question, int answer) throws IOException {
        String[] args = {
            "--objects", cluster.toString(), "--question", question, "--pod", "default/asked", "--times", "2"
        };
        assertThat(run(args))
                .startsWith("{\"library\":\"moorage\",\"question\":\"" + question
                        + "\",\"nodes\":2,\"pods\":1,\"answer\":" + answer + ",\"times\":2,\"msFirst\":");
    }

    @Test
    void answersTheQuestionsOfAFile() throws IOException {
        Path questions = Files.writeString(folder.resolve("questions.jsonl"), """
                {"question":"fits","pod":"default/big"}
                {"question":"howmany","pod":"default/asked","max":2}
                {"question":"place","pods":["default/big","default/big"]}
                {"question":"place","pods":["default/there","default/big"],"evict":["default/there"],"without":["a"]}
                {"question":"check","pods":["default/big","default/big"],"on":["b",""]}
                {"question":"check","pods":["default/big","default/asked"],"on":["a",""]}
                """);
        assertThat(run("--objects", cluster.toString(), "--questions", questions.toString()))
                .hasToString("""
                        {"feasible":["b"],"whyNot":{"a":"Insufficient cpu"}}
                        {"placed":["b","a"]}
                        {"placed":["b",""]}
                        {"placed":["b",""]}
                        {}
                        {"refused":{"0":"Insufficient cpu","1":"fits a"}}
                        """);
    }
}
