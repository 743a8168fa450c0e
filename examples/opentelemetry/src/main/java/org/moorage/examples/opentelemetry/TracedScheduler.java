// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opentelemetry;

import io.opentelemetry.exporter.logging.LoggingSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.InstantSource;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;

/** Schedules the pods of a cluster in a file, and logs a span for each attempt. */
public final class TracedScheduler {
    private TracedScheduler() {}

    public static void main(String[] args) {
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        InMemoryCluster cluster =
                InMemoryCluster.of(ClusterDump.read(Path.of(args[0])).objects());
        // region listener
        OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(LoggingSpanExporter.create()))
                        .build())
                .build();
        try (telemetry;
                Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(plugins), plugins, cluster)
                        .listener(new AttemptTraces(telemetry, InstantSource.system()))
                        .build()) {
            scheduler.start();
            while (scheduler.scheduleNext().isPresent()) {}
        }
        // endregion
    }
}
