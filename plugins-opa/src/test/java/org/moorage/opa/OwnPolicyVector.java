// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.BindPlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/**
 * OPA-14: with a custom policy, each node has weight 1 if {@code pod.spec.schedulerName} is x, and no node fits other
 * pods. A real scheduler has the profiles x and y, both with the plugin.
 */
final class OwnPolicyVector {
    private OwnPolicyVector() {}

    /** Checks the results for pods of both profiles, with arguments in YAML. */
    static void check(String args) {
        PluginRegistry registry = PluginRegistry.of(
                List.of(new OpaPolicy.Factory(), PluginFactory.of(Queue.NAME, Queue.class, handle -> new Queue())));
        InMemoryCluster cluster = InMemoryCluster.of(
                List.of(Nodes.named("a").build(), Nodes.named("b").build()));
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(config(args), "config", registry).config(), registry, cluster)
                .build()) {
            scheduler.start();

            Evaluation own = scheduler.evaluate(pod("x"));
            assertThat(own.feasible()).containsExactlyInAnyOrder("a", "b");
            assertThat(own.best()).containsExactlyInAnyOrder("a", "b");
            Evaluation other = scheduler.evaluate(pod("y"));
            assertThat(other.feasible()).isEmpty();
            assertThat(other.message()).contains("no node fits by the policy /io/k8s/scheduler/fit");
        }
    }

    private static Pod pod(String scheduler) {
        return Pods.named("p").schedulerName(scheduler).build();
    }

    private static String config(String args) {
        StringBuilder text = new StringBuilder(
                "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n");
        for (String scheduler : List.of("x", "y")) {
            text.append("""
                    - schedulerName: "%s"
                      plugins: {multiPoint: {enabled: [{name: OpaPolicy}, {name: %s}], disabled: [{name: "*"}]}}
                      pluginConfig: [{name: OpaPolicy, args: {%s}}]
                    """.formatted(scheduler, Queue.NAME, args));
        }
        return text.toString();
    }

    /** The other plugins that a profile must have. */
    private static final class Queue implements QueueSortPlugin, BindPlugin {
        static final String NAME = "Queue";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            return false;
        }

        @Override
        public Status bind(CycleState state, Pod pod, String nodeName) {
            return Status.skip();
        }
    }
}
