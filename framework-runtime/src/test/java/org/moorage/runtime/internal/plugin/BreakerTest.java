// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.runtime.Samples;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.metrics.SchedulerListener;

/** Tests when a breaker opens and closes; PluginIsolationTest tests the effect on pods. */
final class BreakerTest {
    private static final Pod POD = Samples.pod("p");
    private static final List<NodeInfo> NODES = nodes();

    private final List<String> told = new ArrayList<>();
    private final Suspect suspect = new Suspect();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final SchedulerListener listener = new SchedulerListener() {
        @Override
        public void pluginSuspended(String name, String reason) {
            told.add(reason.replaceFirst(".*since ", ""));
        }

        @Override
        public void pluginResumed(String name) {
            told.add("closed");
        }
    };
    private final Breaker breaker =
            new Breaker("Suspect", true, () -> now, ClusterWriter.refusing("a test"), new Listeners(List.of(listener)));
    private final PluginCaller plugin = new PluginCaller(suspect.name(), suspect, breaker);

    private static final class Suspect implements PreEnqueuePlugin, FilterPlugin, ScorePlugin {
        private boolean fails;
        private Runnable during = () -> {};

        @Override
        public String name() {
            return "Suspect";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            during.run();
            if (fails) {
                throw new IllegalStateException("boom");
            }
            return Status.success();
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            throw new IllegalStateException("asked about one node");
        }

        @Override
        @SuppressWarnings("NullAway") // plugins may return null, although they must not
        public Optional<Function<NodeInfo, Status>> nodeFilter(CycleState state, Pod pod) {
            return Optional.of(node -> null);
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return 7;
        }
    }

    private static List<NodeInfo> nodes() {
        SchedulerCache cache = new SchedulerCache();
        cache.putNode(Samples.node("a"));
        cache.putNode(Samples.node("b"));
        TrialSnapshot snapshot = new TrialSnapshot();
        snapshot.update(cache);
        return snapshot.nodes();
    }

    private void call() {
        Status ignored = plugin.preEnqueue(POD);
    }

    private void fail(int times) {
        suspect.fails = true;
        for (int i = 0; i < times; i++) {
            assertThatThrownBy(this::call).hasMessage("running PreEnqueue plugin \"Suspect\": boom");
        }
        suspect.fails = false;
    }

    @Test
    void aCallThatWasUnderWayWhenItOpenedNeitherExtendsNorEndsTheTime() {
        fail(5);
        breaker.failed(PluginMethod.PRE_ENQUEUE, "boom", Optional.empty());

        assertThat(told).containsExactly("PreEnqueue failed 5 times in a row, last with: boom");

        now = now.plusSeconds(61);
        // Another thread's failure opens it anew while this call is under way.
        suspect.during = () -> breaker.failed(PluginMethod.PRE_ENQUEUE, "bang", Optional.empty());
        call();

        assertThat(told)
                .containsExactly(
                        "PreEnqueue failed 5 times in a row, last with: boom",
                        "PreEnqueue failed 7 times in a row, last with: bang");
    }

    @Test
    void aFirstFailureOfAnotherMethodDoesNotOpenItAnew() {
        fail(5);
        now = now.plusSeconds(61);
        breaker.failed(PluginMethod.FILTER, "once", Optional.empty());
        call();

        assertThat(told).containsExactly("PreEnqueue failed 5 times in a row, last with: boom", "closed");
    }

    @Test
    void manyNodesAreScoredWithZeroWhileItIsOpen() {
        fail(5);
        long[] scores = {1, 2, 3};
        plugin.score(new CycleState(), POD, List.of(), 0, 2, scores);

        assertThat(scores).containsExactly(0, 0, 3);
    }

    @Test
    void nullAmongTheStatusesOfManyNodesIsAFailure() {
        for (int i = 0; i < 5; i++) {
            PluginStatus[] answers = {new PluginStatus("Other", Status.unschedulable("before")), PluginStatus.SUCCESS};
            assertThatThrownBy(() -> plugin.filter(new CycleState(), POD, NODES, 0, 2, answers))
                    .hasMessage("running \"Suspect\" filter plugin: answered null");
        }

        assertThat(told).containsExactly("Filter failed 5 times in a row, last with: answered null");
    }
}
