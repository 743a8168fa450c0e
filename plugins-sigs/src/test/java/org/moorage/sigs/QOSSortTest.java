// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.QosClass;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class QOSSortTest {
    record Case(String name, QueuedPod first, QueuedPod second) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a higher priority precedes a better class",
                    Queued.at(2, bestEffort("a").priority(1)),
                    Queued.at(1, guaranteed("b"))),
            new Case("Guaranteed precedes Burstable", Queued.at(2, guaranteed("a")), Queued.at(1, burstable("b"))),
            new Case("Burstable precedes BestEffort", Queued.at(2, burstable("a")), Queued.at(1, bestEffort("b"))),
            new Case(
                    "the class of the status precedes the computed one",
                    Queued.at(2, bestEffort("a").status(status -> status.qosClass(QosClass.GUARANTEED))),
                    Queued.at(1, burstable("b"))),
            new Case("pods of one class by time", Queued.at(1, burstable("b")), Queued.at(2, burstable("a"))));

    @ParameterizedTest
    @FieldSource("CASES")
    void orders(Case each) {
        try (TestScheduler scheduler = PluginTester.of(new QOSSort.Factory()).start()) {
            QOSSort sort = scheduler.plugin(QOSSort.class);

            assertThat(sort.less(each.first(), each.second())).isTrue();
            assertThat(sort.less(each.second(), each.first())).isFalse();
        }
    }

    @Test
    void treatsPodsOfOneTimeAsEqual() {
        try (TestScheduler scheduler = PluginTester.of(new QOSSort.Factory()).start()) {
            QOSSort sort = scheduler.plugin(QOSSort.class);

            assertThat(sort.less(Queued.at(1, burstable("a")), Queued.at(1, burstable("b"))))
                    .isFalse();
            assertThat(sort.less(Queued.at(1, burstable("b")), Queued.at(1, burstable("a"))))
                    .isFalse();
        }
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new QOSSort.Factory());
    }

    private static Pods guaranteed(String name) {
        return burstable(name).limits("cpu", "1").limits("memory", "1Gi");
    }

    private static Pods burstable(String name) {
        return bestEffort(name).requests("cpu", "1").requests("memory", "1Gi");
    }

    private static Pods bestEffort(String name) {
        return Pods.named(name);
    }
}
