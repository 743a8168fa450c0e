// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.app.command.OwnPlugins;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.slf4j.LoggerFactory;

/** What a plugin logs comes out in the application's own lines, at its own levels. */
class PluginLogTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins: {filter: {enabled: [{name: Prices}]}}
            """;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.moorage.plugin.Prices");
    private final LogLayout layout = new LogLayout();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    private record Prices(PluginLogger logger) implements FilterPlugin {
        static final PluginFactory<?> FACTORY =
                PluginFactory.of("Prices", Prices.class, handle -> new Prices(handle.logger()));

        @Override
        public String name() {
            return "Prices";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            logger.error("Cannot read prices", new IllegalStateException("refused"), "attempts", 3);
            logger.warn("Prices are old", "age");
            logger.info("Prices are read", "url", "http://prices");
            logger.debug("Pod has a budget", "pod", pod, "budget", 1.5);
            logger.trace("Node has a price", "node", node);
            return Status.success();
        }
    }

    record Case(int verbosity, int lines) {}

    static List<Case> cases() {
        return List.of(new Case(0, 3), new Case(2, 4), new Case(4, 5));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void comesAtTheVerbositiesOfTheApplication(Case c) {
        logger.setLevel(Logging.level(c.verbosity));
        InMemoryCluster cluster = InMemoryCluster.of(
                List.of(Nodes.named("n1").build(), Pods.named("web").build()));
        PluginRegistry registry = PluginRegistry.of(OwnPlugins.all()).with(List.of(Prices.FACTORY));
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "scheduler.yaml", registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            assertThat(scheduler.scheduleNext()).isPresent();
        }

        List<String> lines = new ArrayList<>();
        for (ILoggingEvent event : log.list) {
            String line = layout.doLayout(event).lines().findFirst().orElseThrow();
            lines.add(line.charAt(0) + line.substring(line.indexOf(" Prices]")));
        }
        assertThat(lines)
                .isEqualTo(List.of(
                                "E Prices] \"Cannot read prices\" attempts=3 err=\"refused\"",
                                "W Prices] \"Prices are old\" age=\"(MISSING)\"",
                                "I Prices] \"Prices are read\" url=\"http://prices\"",
                                "I Prices] \"Pod has a budget\" pod=\"default/web\" budget=1.5",
                                "I Prices] \"Node has a price\" node=\"n1\"")
                        .subList(0, c.lines));
        assertThat(log.list.get(0).getLevel()).isEqualTo(Level.ERROR);
    }
}
