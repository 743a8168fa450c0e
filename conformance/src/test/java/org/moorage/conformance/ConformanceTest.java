// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.conform.ConformReport;
import org.moorage.app.conform.Conformance;
import org.moorage.app.conform.Tally;
import org.moorage.app.conform.VectorKind;
import org.moorage.app.conform.Verdict.Outcome;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.runtime.PluginRegistry;

/** All recorded answers must be ours too; {@code docs/conformance.md} tells how to read them. */
@TestInstance(Lifecycle.PER_CLASS)
final class ConformanceTest {
    private static final Path VECTORS = Path.of(System.getProperty("basedir", "."), "vectors");
    private static final int SHOWN_DIFFERENCES = 20;

    // How many cases of a file must be right, and not only open: raise it with each plugin that is added.
    private static final Map<String, Integer> LEAST_RIGHT = Map.ofEntries(
            entry("decisions/declaredfeatures", 113),
            entry("decisions/dra", 15),
            entry("decisions/draadvanced", 58),
            entry("decisions/images", 249),
            entry("decisions/interpod", 52),
            entry("decisions/mixed", 67),
            entry("decisions/nodeaffinity", 166),
            entry("decisions/nominated", 150),
            entry("decisions/ports", 208),
            entry("decisions/preemption", 81),
            entry("decisions/profiles", 110),
            entry("decisions/resources", 188),
            entry("decisions/spread", 35),
            entry("decisions/spreaddefaults", 90),
            entry("decisions/taints", 234),
            entry("decisions/volumes", 29),
            entry("config", 49),
            entry("hints", 224),
            entry("defaults", 333),
            entry("defaults-extra", 260));

    private final Conformance conformance = new Conformance(PluginRegistry.of(BuiltinPlugins.all()));
    private final Map<VectorKind, Tally> tallyByKind = new EnumMap<>(VectorKind.class);

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

        Tally tally = conformance.check(file.toString(), InputStream.nullInputStream(), name -> true, report::verdict);

        for (VectorKind kind : tally.kinds()) {
            tallyByKind.computeIfAbsent(kind, any -> new Tally()).add(tally);
        }
        assertThat(tally.count(Outcome.WRONG)).as("wrong in %s%n%s", file, text).isZero();
        assertThat(tally.count(Outcome.RIGHT))
                .as("right in %s, of %s with %s open", file, tally.total(), tally.count(Outcome.OPEN))
                .isGreaterThanOrEqualTo(LEAST_RIGHT.getOrDefault(nameOf(file), 1));
    }

    @AfterAll
    void printsATableOfTheKinds() {
        PrintWriter out = new PrintWriter(System.out, false, UTF_8);
        ConformReport report = new ConformReport(out, 0);
        tallyByKind.forEach((kind, tally) -> report.file(kind.toString(), tally));
        report.summary();
        assertThat(tallyByKind.keySet()).as("kinds that were checked").isEqualTo(EnumSet.allOf(VectorKind.class));
    }

    @Test
    void thereAreFilesOfAllKinds() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path file : files()) {
            names.add(nameOf(file));
        }

        assertThat(names).containsAll(LEAST_RIGHT.keySet());
    }

    private static String nameOf(Path file) {
        return VECTORS.relativize(file).toString().replace('\\', '/').replaceFirst("\\.jsonl(\\.gz)?$", "");
    }
}
