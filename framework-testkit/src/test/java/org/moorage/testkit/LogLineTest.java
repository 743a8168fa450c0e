// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.point.FilterPlugin;

/** Tests that a test can read a plugin's log lines. */
class LogLineTest {
    private static final RuntimeException BROKEN = new IllegalStateException("broken");
    private static final Pod POD = Pods.named("p").build();

    private record Talkative(PluginLogger logger) implements FilterPlugin {
        static final PluginFactory<?> FACTORY = PluginFactory.of("Talkative", Talkative.class, Talkative::new);

        Talkative(Handle handle) {
            this(handle.logger());
            logger.info("Plugin is made");
        }

        @Override
        public String name() {
            return "Talkative";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            logger.debug("Looking at node", "pod", pod.name(), "node", node.name());
            logger.warn("Cannot decide", BROKEN, "attempts", 2);
            return Status.success();
        }
    }

    @Test
    void isKeptAtAnyLevel() {
        PluginTester tester =
                PluginTester.of(Talkative.FACTORY).cluster(Nodes.named("n1").build());
        try (TestScheduler scheduler = tester.start()) {
            scheduler.pod(POD).accepts("n1");

            assertThat(scheduler.logged())
                    .extracting(LogLine::level, LogLine::toString, LogLine::thrown)
                    .containsExactly(
                            tuple(PluginLogger.Level.INFO, "Plugin is made", Optional.empty()),
                            tuple(PluginLogger.Level.DEBUG, "Looking at node pod=\"p\" node=\"n1\"", Optional.empty()),
                            tuple(PluginLogger.Level.WARN, "Cannot decide attempts=\"2\"", Optional.of(BROKEN)));
        }
    }

    @Test
    void refusesAKeyWithoutAValue() {
        try (TestScheduler scheduler = PluginTester.of(Talkative.FACTORY).start()) {
            PluginLogger logger = scheduler.plugin(Talkative.class).logger();

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> logger.info("Half", "pod", "p", "node"))
                    .withMessage("log line \"Half\": [node] (expected: texts as keys, each with a value after it)");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> logger.info("No text", 3, List.of()))
                    .withMessage("log line \"No text\": [3] (expected: texts as keys, each with a value after it)");
        }
    }
}
