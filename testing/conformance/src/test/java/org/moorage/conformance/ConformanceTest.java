// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.conformance.CaseResult.Correctness;

/** Compares our results with all recorded answers; {@code docs/about/conformance.md} describes how to read them. */
@TestInstance(Lifecycle.PER_CLASS)
final class ConformanceTest {
    private static final Path VECTORS = Path.of(System.getProperty("basedir", "."), "vectors");
    private static final int SHOWN_DIFFERENCES = 20;

    private final Conformance conformance = new Conformance(plugins());
    private final Map<VectorKind, ResultCounts> countsByKind = new EnumMap<>(VectorKind.class);

    static PluginRegistry plugins() {
        return PluginRegistry.of(KubeSchedulerPlugins.all()).withServices(ConformanceTest.class.getClassLoader());
    }

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(VECTORS)) {
            return files.filter(file -> file.toString().matches(".*\\.jsonl(\\.gz)?"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void nothingIsWrong(Path file) {
        StringWriter text = new StringWriter();
        ConformReport report = new ConformReport(new PrintWriter(text), SHOWN_DIFFERENCES);

        ResultCounts counts =
                conformance.check(file.toString(), InputStream.nullInputStream(), name -> true, report::result);

        for (VectorKind kind : counts.kinds()) {
            countsByKind.computeIfAbsent(kind, any -> new ResultCounts()).add(counts);
        }
        assertThat(counts.count(Correctness.WRONG))
                .as("wrong in %s%n%s", file, text)
                .isZero();
        assertThat(counts.count(Correctness.RIGHT))
                .as("right in %s, of %s with %s open", file, counts.total(), counts.count(Correctness.OPEN))
                .isPositive();
        assertThat(counts.count(Correctness.OPEN)).as("open in %s", file).isZero();
    }

    @AfterAll
    void printsATableOfTheKinds() {
        PrintWriter out = new PrintWriter(System.out, false, UTF_8);
        ConformReport report = new ConformReport(out, 0);
        countsByKind.forEach((kind, counts) -> report.file(kind.toString(), counts));
        report.summary();
        assertThat(countsByKind.keySet()).as("kinds that were checked").isEqualTo(EnumSet.allOf(VectorKind.class));
    }
}
