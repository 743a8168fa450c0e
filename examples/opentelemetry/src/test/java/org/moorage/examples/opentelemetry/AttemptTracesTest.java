// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

class AttemptTracesTest {
    private static final ClusterObject NODE =
            Nodes.named("n1").allocatable("cpu", "2").allocatable("pods", "110").build();
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            """;
    private static final String REFUSING = CONFIG + "profiles: [{plugins: {permit: {enabled: [{name: Refuse}]}}}]\n";

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();

    /** Rejects each pod in Permit. */
    private record Refuse() implements PermitPlugin {
        @Override
        public String name() {
            return "Refuse";
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return PermitResult.rejected(Status.unschedulable("not today"));
        }

        static final class Factory implements PluginFactory<PluginArgs.None> {
            @Override
            public String name() {
                return "Refuse";
            }

            @Override
            public Class<PluginArgs.None> argsType() {
                return PluginArgs.None.class;
            }

            @Override
            public Plugin create(PluginArgs.None args, Handle handle) {
                return new Refuse();
            }
        }
    }

    @AfterEach
    void close() {
        telemetry.close();
    }

    private List<SpanData> schedule(String config, Pod... pods) {
        PluginRegistry plugins =
                PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(new Refuse.Factory()));
        InMemoryCluster cluster = InMemoryCluster.of(List.of(NODE));
        for (Pod pod : pods) {
            cluster.apply(pod);
        }
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.load(config, "config", plugins), plugins, cluster)
                .bindingExecutor(Runnable::run)
                .listener(new AttemptTraces(telemetry, InstantSource.system()))
                .build()) {
            scheduler.start();
            for (Pod pod : pods) {
                assertThat(scheduler.scheduleNext()).as(pod.name()).isPresent();
            }
        }
        return exporter.getFinishedSpanItems();
    }

    @Test
    void tracesAPodFromTheFirstPluginToTheBinding() {
        List<SpanData> spans = schedule(CONFIG, Pods.named("web").requests("cpu", "1").build());

        assertThat(spans).singleElement().satisfies(span -> {
            assertThat(attribute(span, "k8s.pod.name")).isEqualTo("web");
            assertThat(attribute(span, "k8s.node.name")).isEqualTo("n1");
            assertThat(attribute(span, "scheduler.result")).isEqualTo("scheduled");
            assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.OK);
            assertThat(span.getEvents()).extracting(EventData::getName).contains("PreFilter", "Filter", "Bind");
            assertThat(span.getEvents()).allSatisfy(event -> assertThat(event.getEpochNanos())
                    .isBetween(span.getStartEpochNanos(), span.getEndEpochNanos()));
        });
    }

    @Test
    void tracesAnAttemptWithoutANode() {
        List<SpanData> spans = schedule(CONFIG, Pods.named("huge").requests("cpu", "9").build());

        assertThat(spans).singleElement().satisfies(span -> {
            assertThat(attribute(span, "scheduler.result")).isEqualTo("unschedulable");
            assertThat(attribute(span, "scheduler.message")).contains("1 Insufficient cpu");
            assertThat(span.getEvents()).extracting(EventData::getName).endsWith("PostFilter");
        });
    }

    @Test
    void endsOneSpanForAPodThatIsNotBound() {
        List<SpanData> spans = schedule(REFUSING, Pods.named("web").build());

        assertThat(spans).singleElement().satisfies(span -> {
            assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(span.getStatus().getDescription()).contains("not today");
            assertThat(span.getEvents()).extracting(EventData::getName).endsWith("Permit");
        });
    }

    @Test
    void keepsTheEventsOfAttemptsApart() {
        List<SpanData> spans = schedule(
                CONFIG, Pods.named("a").build(), Pods.named("b").build(), Pods.named("c").requests("cpu", "9").build());

        assertThat(spans).hasSize(3).allSatisfy(span -> assertThat(span.getEvents())
                .extracting(EventData::getName)
                .doesNotHaveDuplicates()
                .startsWith("PreFilter"));
    }

    private static String attribute(SpanData span, String key) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(key)));
    }
}
