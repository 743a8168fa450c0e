// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.conform.Conformance;
import org.moorage.app.conform.Tally;
import org.moorage.app.conform.Verdict;
import org.moorage.app.conform.Verdict.Outcome;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.runtime.PluginRegistry;

/** Every recorded answer of the real kube-scheduler, as the command {@code conform} checks them. */
class VectorsTest {
    private static final Path VECTORS = Path.of("vectors");

    private final Conformance conformance = new Conformance(PluginRegistry.of(BuiltinPlugins.all()));

    static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(VECTORS)) {
            return all.filter(file -> file.toString().matches(".*\\.jsonl(\\.gz)?"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void nothingIsWrong(Path file) {
        List<String> wrong = new ArrayList<>();
        Tally tally = conformance.check(file.toString(), InputStream.nullInputStream(), name -> true, verdict -> {
            if (verdict.outcome() == Outcome.WRONG) {
                wrong.add(describe(verdict));
            }
        });
        assertThat(wrong).isEmpty();
        assertThat(tally.total()).isPositive();
    }

    private static String describe(Verdict verdict) {
        return verdict.vector().name() + ": " + verdict.differences().get(0);
    }
}
