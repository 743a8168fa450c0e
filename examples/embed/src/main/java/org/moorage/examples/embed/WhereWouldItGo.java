// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.embed;

import java.util.List;
import java.util.Map;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Taint;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.config.SchedulerConfig;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;

/** Asks where a pod would go, and why not elsewhere, without binding anything; then schedules two pods in memory. */
public final class WhereWouldItGo {
    private WhereWouldItGo() {}

    public static void main(String[] args) {
        InMemoryCluster cluster = InMemoryCluster.of(List.of(
                node("small", "1", List.of()),
                node("large", "8", List.of()),
                node("gpu", "8", List.of(new Taint("gpu", "yes", Taint.NO_SCHEDULE)))));
        PluginRegistry plugins = PluginRegistry.of(BuiltinPlugins.all());
        try (Scheduler scheduler = Scheduler.builder(SchedulerConfig.defaults(plugins), plugins, cluster)
                .build()) {
            scheduler.start();
            print(scheduler.evaluate(pod("web", "2")));
            print(scheduler.evaluate(pod("huge", "32")));
        }
        List<ClusterObject> objects = List.of(node("only", "4", List.of()), pod("first", "3"), pod("second", "2"));
        SimulationResult result =
                Simulation.of(objects, ConfigLoader.defaults(plugins), plugins).run();
        for (SimulatedPod pod : result.pods()) {
            System.out.println(pod.pod().name() + ": " + pod.state() + " " + pod.nodeName() + pod.message());
        }
    }

    private static void print(Evaluation evaluation) {
        System.out.println(evaluation.pod().name() + ": "
                + (evaluation.feasible().isEmpty() ? evaluation.message() : "best on " + evaluation.best()));
        evaluation.rejections().forEach((node, rejection) -> System.out.println(
                "  not on " + node + ": " + rejection.plugin() + ": " + rejection.status().message()));
        evaluation.scores().forEach((node, scores) -> System.out.println("  " + node + " scores " + scores));
    }

    private static Node node(String name, String cpu, List<Taint> taints) {
        return Node.of(ObjectMeta.named(name).uid(name).build())
                .taints(taints)
                .allocatable(Map.of(
                        "cpu", Quantity.parse(cpu), "memory", Quantity.parse("16Gi"), "pods", Quantity.parse("110")))
                .build();
    }

    private static Pod pod(String name, String cpu) {
        Container container = new Container(
                "main", "app:1", Map.of("cpu", Quantity.parse(cpu)), Map.of(), List.of(), "");
        return Pod.of(
                ObjectMeta.named(name).namespace("default").uid(name).build(),
                PodSpec.builder().containers(List.of(container)).build());
    }
}
