// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.app.internal.logging.LogLayout;
import org.moorage.app.internal.logging.Logging;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** Tests that a plugin's log lines appear in the application's format, at the plugin's levels. */
class PluginLogTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins: {filter: {enabled: [{name: Prices}]}}
            """;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.moorage.plugin");
    private final LogLayout layout = new LogLayout((event, thrown) -> false);

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
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(Prices.FACTORY));
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
            lines.add(line.charAt(0) + line.substring(line.indexOf(" Prices]")).replaceFirst(" at=.*", " at"));
        }
        assertThat(lines)
                .isEqualTo(List.of(
                                "E Prices] \"Cannot read prices\" attempts=3 err=\"refused\" at",
                                "W Prices] \"Prices are old\" age=\"(MISSING)\"",
                                "I Prices] \"Prices are read\" url=\"http://prices\"",
                                "I Prices] \"Pod has a budget\" pod=\"default/web\" budget=1.5",
                                "I Prices] \"Node has a price\" node=\"n1\"")
                        .subList(0, c.lines));
        assertThat(log.list.get(0).getLevel()).isEqualTo(Level.ERROR);
    }

    /** A value, and the text that stands for it. */
    private record Logged(String name, Object value, String text) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Logged> values() {
        List<Object> itself = new ArrayList<>();
        itself.add(List.of(new Object() {
            @Override
            public String toString() {
                return itself.toString();
            }
        }));
        return List.of(
                new Logged(
                        "one that throws",
                        new Object() {
                            @Override
                            public String toString() {
                                throw new IllegalStateException("never");
                            }
                        },
                        "(its text cannot be made: java.lang.IllegalStateException)"),
                new Logged(
                        "one that misses a class",
                        new Object() {
                            @Override
                            public String toString() {
                                throw new NoClassDefFoundError("org/example/Missing");
                            }
                        },
                        "(its text cannot be made: java.lang.NoClassDefFoundError)"),
                new Logged("one that holds itself", itself, "(its text cannot be made: java.lang.StackOverflowError)"),
                new Logged("a long one", "x".repeat(1_000_000), "x".repeat(4_092) + " ..."));
    }

    @ParameterizedTest
    @MethodSource("values")
    void hasTheTextOfAValueAsItWasWhenItWasLogged(Logged c) {
        filtering(logger -> logger.warn("Read", "value", c.value));
        assertThat(log.list)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getKeyValuePairs()).containsExactly(new KeyValuePair("value", c.text)));
    }

    @Test
    void hasLinesOfBoundedLength() {
        Object[] many = new Object[20_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = "0123456789";
        }
        filtering(logger -> logger.warn("m".repeat(1_000_000), many));
        assertThat(layout.doLayout(log.list.get(0))).hasSizeLessThan(40_000).contains(" leftOut=");
    }

    /** An exception without a finite message. */
    private static final class Endless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    private static final class Silent extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    static List<RuntimeException> thrown() {
        RuntimeException first = new IllegalStateException("first");
        first.initCause(new IllegalStateException("second", first));
        return List.of(new Endless(), new Silent(), first, new IllegalStateException("x".repeat(1_000_000)));
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void logsAnyThrownException(RuntimeException thrown) {
        filtering(logger -> logger.warn("Failed", thrown));
        assertThat(new LogLayout((event, cause) -> true).doLayout(log.list.get(0)))
                .contains(thrown.getClass().getName())
                .hasSizeLessThan(60_000);
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void ofTheSchedulerContainsAnyExceptionOfAPlugin(RuntimeException thrown) {
        Decision decision = filtering(logger -> {
            throw thrown;
        });
        assertThat(decision.outcome()).isEqualTo(Decision.Outcome.ERROR);
        assertThat(decision.message())
                .startsWith("running \"Asked\" filter plugin: ")
                .hasSizeLessThan(5_000);
    }

    private static Decision filtering(Consumer<PluginLogger> asked) {
        InMemoryCluster cluster = InMemoryCluster.of(
                List.of(Nodes.named("n1").build(), Pods.named("web").build()));
        PluginFactory<?> factory = PluginFactory.of("Asked", Asked.class, handle -> new Asked(handle.logger(), asked));
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(factory));
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG.replace("Prices", "Asked"), "scheduler.yaml", registry),
                        registry,
                        cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            return scheduler.scheduleNext().orElseThrow();
        }
    }

    private record Asked(PluginLogger logger, Consumer<PluginLogger> asked) implements FilterPlugin {
        @Override
        public String name() {
            return "Asked";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            asked.accept(logger);
            return Status.success();
        }
    }
}
