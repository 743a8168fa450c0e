// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.walk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A reader who follows one call through the runtime visits few files. The limits may be lowered, and not raised. */
@Tag("any-jvm")
class WalkTest {
    private static final String ONE_POD = "org.moorage.runtime.internal.loop.SchedulingCycle.run";
    private static final String ONE_GROUP = "org.moorage.runtime.internal.loop.PodGroupCycle.run";
    private static final String BINDING = "org.moorage.runtime.internal.binding.BindingCycle.begin";
    private static final String FITS = "org.moorage.runtime.internal.whatif.FrozenWhatIf.fits";

    record Case(String name, String scenario, String start, int call, String stop, int files, int returns) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("a pod, until it is bound", "SchedulePods", ONE_POD, 3, "", 14, 31),
                new Case("a pod, until its node is chosen", "SchedulePods", ONE_POD, 3, BINDING, 10, 23),
                new Case("a group of pods, until it is bound", "ScheduleGroups", ONE_GROUP, 1, "", 38, 88),
                new Case("the nodes that a pod fits", "AskWhichNodesFit", FITS, 2, "", 9, 14));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void visitsFewFiles(Case expected) throws ReflectiveOperationException {
        Runnable scenario = (Runnable) new WalkedClasses()
                .loadClass(WalkScenarios.class.getName() + '$' + expected.scenario)
                .getDeclaredConstructor()
                .newInstance();
        Walk walk = Walk.of(scenario, expected.start, expected.call, expected.stop);
        assertThat(walk.files()).as(walk.toString()).hasSizeBetween(1, expected.files);
        assertThat(walk.returns()).as(walk.toString()).isLessThanOrEqualTo(expected.returns);
    }
}
