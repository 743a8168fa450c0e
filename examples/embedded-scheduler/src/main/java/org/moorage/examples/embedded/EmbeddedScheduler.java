// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.scheduler.KubernetesScheduler;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.runtime.decision.Decision;

/** Schedules for an API server while it holds the Lease, and prints the result for each pod. */
public final class EmbeddedScheduler {
    private EmbeddedScheduler() {}

    public static void main(String[] args) throws IOException {
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.load(Files.readString(Path.of(args[0])), args[0], plugins);
        SchedulerListener printed = new SchedulerListener() {
            @Override
            public void decided(Decision decision) {
                System.out.println(decision.pod().key() + ": " + decision.outcome() + " " + decision.message());
            }
        };
        try (KubernetesScheduler scheduler = KubernetesScheduler.builder(config, plugins)
                .settings(builder -> builder.listener(printed))
                .build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(scheduler::close));
            if (scheduler.run()) {
                System.exit(1); // Another process has the Lease.
            }
        }
    }
}
