// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.ApiVersion;

class RecordedApiTest {
    private static final String FILTER = "org.moorage.api.plugin.FilterPlugin";
    private static final String HANDLE = "org.moorage.api.plugin.Handle";
    private static final String CLOCK = HANDLE + ".clock() : abstract public java.time.InstantSource";
    private static final String TYPES_OF_FILTER = FILTER + " : abstract interface public -";
    private static final String TYPE_OF_HANDLE = HANDLE + " : abstract interface public -";

    private static final RecordedApi API = new RecordedApi("1.2.0", List.of(TYPES_OF_FILTER, TYPE_OF_HANDLE, CLOCK));

    record Change(String name, List<String> removed, List<String> added, List<String> breaks) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Change> changes() {
        String withOtherType = HANDLE + ".clock() : abstract public java.time.Clock";
        String toImplement = FILTER + ".more() : abstract public void";
        return Stream.of(
                new Change("nothing", List.of(), List.of(), List.of()),
                new Change("a method that is gone", List.of(CLOCK), List.of(), List.of("- " + CLOCK)),
                new Change("a method with another type", List.of(CLOCK), List.of(withOtherType), List.of("- " + CLOCK)),
                new Change("a static method", List.of(), List.of(FILTER + ".of() : public static void"), List.of()),
                new Change("a default method", List.of(), List.of(FILTER + ".more() : public void"), List.of()),
                new Change(
                        "a method that plugins would have to implement",
                        List.of(),
                        List.of(toImplement),
                        List.of("+ " + toImplement + " (abstract)")),
                new Change(
                        "a method that the scheduler implements",
                        List.of(),
                        List.of(HANDLE + ".logger() : abstract public void"),
                        List.of()),
                new Change(
                        "a type with a method",
                        List.of(),
                        List.of("org.New : abstract interface public -", "org.New.it() : abstract public void"),
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void tellsWhatBreaksPlugins(Change c) {
        List<String> current = new ArrayList<>(API.lines());
        current.removeAll(c.removed);
        current.addAll(c.added);

        assertThat(API.breaks(current)).isEqualTo(c.breaks);
        assertThat(API.added(current)).isEqualTo(c.added);
    }

    record Next(String lastRelease, String version, boolean mayBreak) {}

    static Stream<Next> nexts() {
        return Stream.of(
                new Next("", "0.1.0-SNAPSHOT", true),
                new Next("0.1.3", "0.1.4-SNAPSHOT", false),
                new Next("0.1.3", "0.2.0-SNAPSHOT", true),
                new Next("1.2.0", "1.2.1-SNAPSHOT", false),
                new Next("1.2.0", "1.3.0-SNAPSHOT", false),
                new Next("1.2.0", "2.0.0-SNAPSHOT", true));
    }

    @ParameterizedTest
    @MethodSource("nexts")
    void allowsBreaksOnlyInVersionsThatDoNotTakePluginsOfTheLastRelease(Next next) {
        assertThat(new RecordedApi(next.lastRelease, List.of()).mayBreakIn(ApiVersion.parse(next.version)))
                .isEqualTo(next.mayBreak);
    }
}
