// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class TopologicalSortTest {
    private static final OtherObject GROUP = new OtherObject(
            AppGroup.KIND, ObjectMeta.named("shop").namespace("default").build(), """
                {"status": {"topologyOrder": [{"workload": {"selector": "db"}, "index": 1},
                 {"workload": {"selector": "web"}, "index": 2}]}}\
                """);

    record Case(String name, QueuedPod first, QueuedPod second) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("the order of the group", Queued.at(2, member("shop", "db")), Queued.at(1, member("shop", "web"))),
            new Case(
                    "the order of the group, whatever the priority",
                    Queued.at(1, member("shop", "db")),
                    Queued.at(1, member("shop", "web").priority(9))),
            new Case(
                    "workloads that are not listed come first",
                    Queued.at(2, member("shop", "new")),
                    Queued.at(1, member("shop", "db"))),
            new Case(
                    "pods of one workload by time",
                    Queued.at(1, member("shop", "db")),
                    Queued.at(2, member("shop", "db"))),
            new Case(
                    "an unknown group by time",
                    Queued.at(1, member("gone", "web")),
                    Queued.at(2, member("gone", "db"))),
            new Case(
                    "different groups by priority",
                    Queued.at(2, member("bank", "web").priority(1)),
                    Queued.at(1, member("shop", "db"))),
            new Case("no group by time", Queued.at(1, Pods.named("p")), Queued.at(2, Pods.named("q"))),
            new Case(
                    "pods of a native group by time",
                    Queued.at(1, member("shop", "web").podGroup("g")),
                    Queued.at(2, member("shop", "db").podGroup("h"))));

    @ParameterizedTest
    @FieldSource("CASES")
    void orders(Case each) {
        try (TestScheduler scheduler =
                PluginTester.of(new TopologicalSort.Factory()).cluster(GROUP).start()) {
            TopologicalSort sort = scheduler.plugin(TopologicalSort.class);

            assertThat(sort.less(each.first(), each.second())).isTrue();
            assertThat(sort.less(each.second(), each.first())).isFalse();
        }
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new TopologicalSort.Factory(), TopologicalSort.Args.DEFAULTS, GROUP);
    }

    private static Pods member(String group, String workload) {
        return Pods.named(workload)
                .label("appgroup.diktyo.x-k8s.io", group)
                .label("appgroup.diktyo.x-k8s.io.workload", workload);
    }
}
