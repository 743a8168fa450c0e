// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.embed;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.Container;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;

/**
 * Asks where the pods of a cluster in a file would go, and why not elsewhere, without binding any; then schedules them
 * in memory.
 */
public final class WhereWouldItGo {
    private WhereWouldItGo() {}

    public static void main(String[] args) {
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(plugins);
        ClusterDump dump = ClusterDump.read(Path.of(args[0]));
        InMemoryCluster cluster = InMemoryCluster.of(dump.objects());
        try (Scheduler scheduler = Scheduler.builder(config, plugins, cluster).build()) {
            scheduler.start();
            for (Pod pod : dump.pods()) {
                print(scheduler.evaluate(pod.withoutNode()));
            }
            try (WhatIf asked = scheduler.whatIf()) {
                Pod own = pod("own", "500m");
                System.out.println("a pod of this program fits " + asked.fits(own).feasible() + ", and there is room for "
                        + asked.howMany(own, 1000).count());
            }
        }
        for (SimulatedPod pod :
                Simulation.of(dump.objects(), config, plugins).run().pods()) {
            System.out.println(pod.pod().name() + ": " + pod.state() + " " + pod.nodeName() + pod.message());
        }
    }

    private static void print(Evaluation evaluation) {
        System.out.println(evaluation.pod().name() + ": "
                + (evaluation.fits() ? "best on " + evaluation.best() : evaluation.message()));
        evaluation
                .rejections()
                .forEach((node, rejection) -> System.out.println("  not on " + node + ": " + rejection.plugin() + ": "
                        + rejection.status().message()));
        evaluation.scores().forEach((node, scores) -> System.out.println("  " + node + " scores " + scores));
    }

    private static Pod pod(String name, String cpu) {
        Container container =
                new Container("main", "app:1", Map.of("cpu", Quantity.parse(cpu)), Map.of(), List.of(), "");
        return Pod.of(
                ObjectMeta.named(name).namespace("default").uid(name).build(),
                PodSpec.builder().containers(List.of(container)).build());
    }
}
