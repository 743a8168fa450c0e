// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.sigs.NetworkOverhead.Args;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class NetworkOverheadTest {
    private static final OtherObject GROUP = object(AppGroup.KIND, "shop", """
            {"spec": {"workloads": [{"workload": {"selector": "web"},
             "dependencies": [{"workload": {"selector": "db"}, "maxNetworkCost": 10}]}]}}""");
    private static final OtherObject COSTS = object(NetworkTopology.KIND, "nt-default", """
            {"spec": {"weights": [{"name": "UserDefined", "topologyList": [
             {"topologyKey": "topology.kubernetes.io/zone", "originList": [
              {"origin": "b", "costList": [{"destination": "a", "networkCost": 5}]},
              {"origin": "c", "costList": [{"destination": "a", "networkCost": 20}]}]},
             {"topologyKey": "topology.kubernetes.io/region", "originList": []}]}]}}""");
    private static final Pod WEB = pod("web").build();

    @Test
    void prefersNodesFromWhichTheNetworkIsCheap() {
        try (TestScheduler scheduler =
                tester().cluster(GROUP, COSTS, pod("db").on("a1").build()).start()) {
            scheduler
                    .pod(WEB)
                    .scores("a1", 100)
                    .scores("a2", 80)
                    .scores("b1", 0)
                    .rejects("c1", violated("c1"));
        }
    }

    @Test
    void followsThePodsOfTheGroup() {
        Pod database = pod("db").on("a1").build();
        try (TestScheduler scheduler = tester().cluster(GROUP, COSTS, database).start()) {
            scheduler.cluster().delete(database);
            scheduler.pod(WEB).accepts("a1", "c1").scores("a1", 0).scores("c1", 0);

            scheduler.cluster().apply(pod("db").on("c1").build());
            scheduler.pod(WEB).scores("c1", 100);
        }
    }

    @Test
    void treatsNodesAlikeWithoutTheObjects() {
        for (OtherObject object : List.of(GROUP, COSTS)) {
            try (TestScheduler scheduler =
                    tester().cluster(object, pod("db").on("a1").build()).start()) {
                scheduler.pod(WEB).accepts("c1").scores("a1", 0).scores("c1", 0);
            }
        }
    }

    @Test
    void keepsTheContractButForEvents() {
        // The original registers no events either: any event retries a rejected pod.
        assertThatThrownBy(() -> PluginContract.verify(new NetworkOverhead.Factory(), Args.DEFAULTS, GROUP, COSTS))
                .hasMessage("""
                        plugin "NetworkOverhead" breaks the contract:
                          can reject, and does not say which events could change its mind (EnqueueExtensions)""");
    }

    private static Status violated(String node) {
        return Status.unschedulable("Node " + node
                + " does not meet several network requirements from Workload dependencies: Satisfied: 0 Violated: 1");
    }

    private static PluginTester tester() {
        return PluginTester.of(new NetworkOverhead.Factory())
                .cluster(
                        Nodes.named("a1").zone("a").build(),
                        Nodes.named("a2").zone("a").build(),
                        Nodes.named("b1").zone("b").build(),
                        Nodes.named("c1").zone("c").build());
    }

    private static Pods pod(String workload) {
        return Pods.named(workload)
                .uid(workload)
                .label("appgroup.diktyo.x-k8s.io", "shop")
                .label("appgroup.diktyo.x-k8s.io.workload", workload);
    }

    private static OtherObject object(ObjectKind<OtherObject> kind, String name, String json) {
        return new OtherObject(kind, ObjectMeta.named(name).namespace("default").build(), json);
    }
}
