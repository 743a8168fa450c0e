// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Pod;
import org.moorage.api.preemption.Victim.Kind;
import org.moorage.testkit.Pods;

class VictimTest {
    private static final int NEVER = 0;
    private static final int EARLY = 500;
    private static final int LATE = 1000;

    /** Two victims, of which the first is more important. */
    private record Case(String name, Victim more, Victim less) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** With a pod for each start, in seconds. */
    private static Victim victim(Kind kind, int priority, int... starts) {
        return new Victim(
                kind,
                priority,
                IntStream.of(starts).mapToObj(VictimTest::started).toList(),
                0);
    }

    private static Pod started(int second) {
        Pods pod = Pods.named("p" + second);
        return second == NEVER
                ? pod.build()
                : pod.started(Instant.ofEpochSecond(second)).build();
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "the higher priority comes before all",
                    victim(Kind.POD, 2, LATE),
                    victim(Kind.COMPOSITE_POD_GROUP, 1, EARLY, EARLY)),
            new Case("a group before a pod", victim(Kind.POD_GROUP, 1, LATE), victim(Kind.POD, 1, EARLY)),
            new Case(
                    "a composite group before a pod",
                    victim(Kind.COMPOSITE_POD_GROUP, 1, LATE),
                    victim(Kind.POD, 1, EARLY)),
            new Case(
                    "a composite group before a larger and older group",
                    victim(Kind.COMPOSITE_POD_GROUP, 1, LATE),
                    victim(Kind.POD_GROUP, 1, EARLY, EARLY)),
            new Case("the older pod", victim(Kind.POD, 1, EARLY), victim(Kind.POD, 1, LATE)),
            new Case("a pod that has started", victim(Kind.POD, 1, LATE), victim(Kind.POD, 1, NEVER)),
            new Case(
                    "the larger group before the older one",
                    victim(Kind.POD_GROUP, 1, LATE, LATE),
                    victim(Kind.POD_GROUP, 1, EARLY)),
            new Case(
                    "the larger composite group before the older one",
                    victim(Kind.COMPOSITE_POD_GROUP, 1, LATE, LATE),
                    victim(Kind.COMPOSITE_POD_GROUP, 1, EARLY)),
            new Case(
                    "of two as large the one with the oldest pod",
                    victim(Kind.POD_GROUP, 1, NEVER, EARLY),
                    victim(Kind.POD_GROUP, 1, LATE, LATE)),
            new Case(
                    "of two that have not started the first",
                    victim(Kind.POD_GROUP, 1, NEVER, NEVER),
                    new Victim(Kind.POD_GROUP, 1, List.of(started(NEVER), started(NEVER)), 1)));

    @ParameterizedTest
    @FieldSource("CASES")
    void isMoreImportant(Case c) {
        assertThat(Victim.isMoreImportant(c.more, c.less)).isTrue();
        assertThat(Victim.isMoreImportant(c.less, c.more)).isFalse();
    }
}
