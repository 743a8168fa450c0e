// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.logging.Logging;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** With {@code --v=4} the log has how long each plugin takes, of every attempt. */
class PluginTimesTest {
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(PrometheusMetrics.class);

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void areLoggedByPluginAndExtensionPoint() {
        assertThat(lines(4))
                .contains(
                        "Plugin ran plugin=NodeResourcesFit extensionPoint=PreFilter status=Success",
                        "Plugin ran plugin=TaintToleration extensionPoint=Filter status=Success",
                        "Plugin ran plugin=NodeResourcesFit extensionPoint=Score status=Success",
                        "Plugin ran plugin=DefaultBinder extensionPoint=Bind status=Success",
                        "Extension point ran profile=default-scheduler extensionPoint=Filter status=Success");
        assertThat(lines(2)).isEmpty();
    }

    private List<String> lines(int verbosity) {
        log.list.clear();
        logger.setLevel(Logging.level(verbosity));
        InMemoryCluster cluster = InMemoryCluster.of(List.of(
                Nodes.named("n1").allocatable("cpu", "2").build(),
                Nodes.named("n2").allocatable("cpu", "2").build(),
                Pods.named("web").requests("cpu", "1").build()));
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.defaults(registry, FeatureGates.DEFAULTS), registry, cluster)
                .listener(new PrometheusMetrics(new PrometheusRegistry(), InstantSource.system()))
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            assertThat(scheduler.scheduleNext()).isPresent();
        }
        List<String> lines = new ArrayList<>();
        for (ILoggingEvent event : log.list) {
            StringBuilder line = new StringBuilder(event.getFormattedMessage());
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                if (pair.key.equals("microseconds")) {
                    assertThat((long) pair.value).isNotNegative();
                } else {
                    line.append(' ').append(pair.key).append('=').append(pair.value);
                }
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
