// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.walk;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.testkit.Pods;

/** The operations of the runtime that a recorded walk follows. */
final class WalkScenarios {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());

    private WalkScenarios() {}

    private static List<ClusterObject> objects(String file, LoadedConfig config) {
        String path = Path.of("..", "..", "examples", "clusters", file).toString();
        return ClusterDump.read(List.of(path), InputStream.nullInputStream(), config, PLUGINS)
                .objects();
    }

    private static void simulate(String file, LoadedConfig config) {
        SimulationResult ignored =
                Simulation.of(objects(file, config), config, PLUGINS).seed(1).run();
    }

    /** Schedules the pods of an example. */
    public static final class SchedulePods implements Runnable {
        @Override
        public void run() {
            simulate("first.yaml", ConfigLoader.defaults(PLUGINS));
        }
    }

    /** Schedules the groups of pods of an example. */
    public static final class ScheduleGroups implements Runnable {
        @Override
        public void run() {
            FeatureGates features = FeatureGates.DEFAULTS
                    .with(FeatureGates.GENERIC_WORKLOAD, true)
                    .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true);
            simulate("groups.yaml", ConfigLoader.defaults(PLUGINS, features));
        }
    }

    /** Asks two questions about the nodes that a pod fits. */
    public static final class AskWhichNodesFit implements Runnable {
        @Override
        public void run() {
            LoadedConfig config = ConfigLoader.defaults(PLUGINS);
            try (WhatIf cluster = Scheduler.whatIf(objects("first.yaml", config), config, PLUGINS)) {
                Pod pod = Pods.named("asked").requests("cpu", "1").build();
                Fit first = cluster.fits(pod);
                Fit second = cluster.fits(pod);
                if (!first.fits() || !second.fits()) {
                    throw new IllegalStateException(second.message());
                }
            }
        }
    }
}
