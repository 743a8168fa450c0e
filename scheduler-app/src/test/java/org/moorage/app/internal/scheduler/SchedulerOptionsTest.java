// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class SchedulerOptionsTest {
    private static final String HIDDEN = "scheduler_preemption_goroutines_duration_seconds";

    @Command
    private static final class Flags {
        @Mixin
        private SchedulerOptions options = new SchedulerOptions();
    }

    private record Case(String name, List<String> flags, Set<String> leftOut) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("hidden metrics are omitted", List.of(), Set.of(HIDDEN)),
            new Case("an empty version is none", List.of("--show-hidden-metrics-for-version="), Set.of(HIDDEN)),
            new Case("they are shown on demand", List.of("--show-hidden-metrics-for-version=1.36"), Set.of()),
            new Case(
                    "disabled ones are omitted, too",
                    List.of("--disabled-metrics=scheduler_cache_size"),
                    Set.of("scheduler_cache_size", HIDDEN)),
            new Case(
                    "one that is disabled is not shown on demand",
                    List.of("--disabled-metrics=" + HIDDEN, "--show-hidden-metrics-for-version=1.36"),
                    Set.of(HIDDEN)));

    @ParameterizedTest
    @FieldSource("CASES")
    void selectOmittedMetrics(Case c) {
        Flags flags = new Flags();
        new CommandLine(flags).parseArgs(c.flags.toArray(String[]::new));

        assertThat(flags.options.metricsLeftOut()).isEqualTo(c.leftOut);
    }
}
