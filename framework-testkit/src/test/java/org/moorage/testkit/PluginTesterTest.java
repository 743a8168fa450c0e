// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

class PluginTesterTest {
    private static final Status FULL = Status.unschedulable("too many pods of the team");
    private static final Status BANNED = Status.unresolvable("team is banned");
    private static final Status NO_TEAM = Status.unresolvable("waiting for a team");
    private static final Pod RED = red("p").build();
    private static final PluginTester PLUGIN = PluginTester.of(new Factory())
            .cluster(
                    Nodes.named("n1").build(),
                    Nodes.named("n2").label("old", "").build(),
                    red("r").on("n1").build());

    private static Pods red(String name) {
        return Pods.named(name).label("team", "red");
    }

    record Case(String name, Consumer<PodTester> check, String... complaint) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] RIGHT = {
        new Case("Filter", tester -> tester.accepts("n2").rejects("n1", FULL)),
        new Case("PreFilter", tester -> tester.leavesAllNodes()),
        new Case("Score", tester -> tester.scores("n2", 0)),
        new Case(
                "AddPod",
                tester -> tester.withPodAdded("n2", red("new").build()).rejects("n2", FULL)),
        new Case(
                "RemovePod",
                tester -> tester.withPodRemoved("n1", red("r").build()).accepts("n1", "n2")),
        new Case("PreEnqueue", PodTester::entersQueue),
        new Case("Permit", tester -> tester.permits("n2", PermitResult.allow())),
        new Case("Reserve", tester -> tester.reserves("n2")),
        new Case("Bind", tester -> tester.binds("n2")),
        new Case(
                "a queueing hint",
                tester -> tester.hint(ObjectChange.deleted(red("r").on("n1").build()), Hint.QUEUE)
                        .hint(ObjectChange.deleted(Pods.named("x").on("n1").build()), Hint.SKIP)),
        new Case(
                "a change that is no event of the plugin",
                tester -> tester.isNotAskedAbout(ObjectChange.added(node("n3")))),
    };

    private static Node node(String name) {
        return Nodes.named(name).build();
    }

    @ParameterizedTest
    @FieldSource("RIGHT")
    void takesTheRightAnswer(Case c) {
        c.check.accept(PLUGIN.pod(RED));
    }

    static final Case[] WRONG = {
        new Case(
                "another status",
                tester -> tester.rejects("n1", BANNED),
                "Filter of pod default/p on node n1",
                "expected: UnschedulableAndUnresolvable: \"team is banned\"",
                "answered: Unschedulable: \"too many pods of the team\"",
                "What the plugin answered:",
                "PreFilter: Success",
                "Filter n1: Unschedulable: \"too many pods of the team\"",
                "Filter n2: Success",
                "Score n2: 1",
                "Normalize: n2 0"),
        new Case("a node that is not there", tester -> tester.accepts("n9"), "answered: there is no such node"),
        new Case(
                "a score of a node that is not feasible",
                tester -> tester.scores("n1", 0),
                "answered: not asked, since the node is not feasible"),
        new Case("a score", tester -> tester.scores("n2", 7), "expected: 7", "answered: 0"),
        new Case("a skip that is none", PodTester::skipsFilter, "expected: Skip", "answered: Success"),
        new Case("a skip of Score that is none", PodTester::skipsScore, "expected: Skip", "answered: Success"),
        new Case("a rejection of the pod that is none", tester -> tester.rejectsPod(BANNED), "answered: Success"),
        new Case("a gate that is none", tester -> tester.isGated(NO_TEAM), "answered: Success"),
        new Case(
                "nodes that are left",
                tester -> tester.leavesOnlyNodes("n1"),
                "expected: Optional[[n1]]",
                "answered: Optional.empty"),
        new Case("a failure that is none", tester -> tester.fails("broken"), "answered: nothing is thrown"),
        new Case(
                "a permit",
                tester -> tester.permits("n2", PermitResult.rejected(FULL)),
                "Permit of pod default/p on node n2",
                "Permit n2: "),
        new Case(
                "a pod that is rejected before Reserve",
                tester -> tester.reserves("n1"),
                "Pod default/p is not reserved a place on node n1: UNSCHEDULABLE"),
        new Case(
                "another hint",
                tester -> tester.hint(
                        ObjectChange.deleted(Pods.named("x").on("n1").build()), Hint.QUEUE),
                "Queueing hint of Teams for pod default/p",
                "expected: Queue",
                "answered: QueueSkip",
                "The change is: [AssignedPodDelete]"),
        new Case(
                "a hint about what is no event of the plugin",
                tester -> tester.hint(ObjectChange.added(node("n3")), Hint.QUEUE),
                "answered: not asked",
                "The change is: [NodeAdd]"),
        new Case("no preemption", tester -> tester.preempts("n1", "r"), "answered: PostFilter was not asked"),
    };

    @ParameterizedTest
    @FieldSource("WRONG")
    void reportsThePluginsResultInsteadOf(Case c) {
        assertThatThrownBy(() -> c.check.accept(PLUGIN.pod(RED)))
                .isInstanceOf(AssertionError.class)
                .message()
                .contains(c.complaint);
    }

    record Asked(String name, Pods pod, Consumer<PodTester> check) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Asked[] PODS = {
        new Asked(
                "Skip leaves Filter and Score out",
                Pods.named("p"),
                tester -> tester.skipsFilter().skipsScore()),
        new Asked(
                "PreFilter rejects the pod",
                Pods.named("p").label("team", "banned"),
                tester -> tester.rejectsPod(BANNED)),
        new Asked(
                "PreFilter leaves one node",
                Pods.named("p").label("team", "old"),
                tester -> tester.leavesOnlyNodes("n2").accepts("n2")),
        new Asked("PreEnqueue gates", Pods.named("p").label("team", ""), tester -> tester.isGated(NO_TEAM)),
        new Asked("the plugin throws", Pods.named("p").label("team", "broken"), tester -> tester.fails("broken team")),
    };

    @ParameterizedTest
    @FieldSource("PODS")
    void asksInTheOrderOfTheCycle(Asked c) {
        c.check.accept(PLUGIN.pod(c.pod.build()));
    }

    @Test
    void reportsACopyThatIsNone() {
        PluginTester careless = PluginTester.of(new CarelessFactory()).cluster(node("n1"), node("n2"));
        assertThatThrownBy(() ->
                        careless.pod(RED).withPodAdded("n2", red("new").build()).rejects("n2", FULL))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("AddPod or RemovePod changes what Filter says about the nodes as they are.");
    }

    @Test
    void knowsWhatIsDisabled() {
        PLUGIN.disabledAt(ExtensionPoint.FILTER).pod(RED).scores("n1", 100).scores("n2", 0);
    }

    @Test
    void checksWhatIsRegistered() {
        PLUGIN.registers("PodDelete");
        assertThatThrownBy(() -> PLUGIN.registers("NodeAdd"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("answered: [PodDelete]");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> PLUGIN.cluster(red("x").on("n9").build()))
                .hasMessage("Pod \"default/x\": on node \"n9\" (expected: one of the nodes [n1, n2])");
        assertThatThrownBy(() -> PLUGIN.cluster(node("n1")))
                .hasMessage("Node \"n1\": twice (expected: one object of a name)");
        assertThatThrownBy(() -> PluginTester.of(new Factory(), new Args(0)).start())
                .hasMessage("arguments of plugin \"Teams\": [most: 0 (expected: more than 0)]");
        assertThatThrownBy(() -> PLUGIN.pod(RED).rejects("n1", Status.success()))
                .hasMessage("status: Success (expected: a rejection)");
    }

    @Nested
    class GoingOn {
        @Test
        void showsWhatReserveAndUnreserveDo() {
            try (TestScheduler scheduler = PLUGIN.start()) {
                scheduler.reserve(RED, "n2");
                scheduler.pod(red("q").build()).rejects("n2", FULL);
                scheduler.unreserve(RED);
                scheduler.pod(red("q").build()).accepts("n2");
            }
        }

        @Test
        void bindsOrReportsWhyNot() {
            try (TestScheduler scheduler = PLUGIN.start()) {
                scheduler.reserve(RED, "n2");
                assertThatThrownBy(() -> scheduler.failsToBind(RED, "conflict"))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("Nothing fails with \"conflict\"");
                assertThat(scheduler.cluster().find(ObjectKind.POD, "default", "p"))
                        .get()
                        .extracting(Pod::nodeName)
                        .isEqualTo("n2");
                assertThat(scheduler.writes()).extracting(Write::method).contains("bind");
                Pod next = Pods.named("next").build();
                scheduler.reserve(next, "n1");
                scheduler.failWrites(new ClusterException("conflict", 409, null));
                assertThatThrownBy(() -> scheduler.bind(next))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("Pod default/next is not bound.");
            }
        }

        @Test
        void seesTheClusterChange() {
            try (TestScheduler scheduler = PLUGIN.start()) {
                scheduler.pod(RED).rejects("n1", FULL);
                scheduler.cluster().remove(red("r").on("n1").build());
                scheduler.pod(RED).accepts("n1");
            }
        }

        @Test
        void reportsAPodThatIsNotReady() {
            Pod gated = Pods.named("gated").label("team", "").build();
            try (TestScheduler scheduler = PLUGIN.start()) {
                assertThatThrownBy(() -> scheduler.schedule(gated))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("Pod default/gated is not ready to be scheduled.")
                        .hasMessageContaining("PreEnqueue: UnschedulableAndUnresolvable: \"waiting for a team\"");
            }
        }
    }

    public record Args(int most) implements PluginArgs {
        public static final Args DEFAULTS = new Args(1);

        @Override
        public void validate(Problems problems) {
            if (most < 1) {
                problems.at("most").invalid(most, "more than 0");
            }
        }
    }

    /** Limits the pods of a team on a node. */
    private static class Teams
            implements PreEnqueuePlugin,
                    PreFilterPlugin,
                    PreFilterExtensions,
                    FilterPlugin,
                    PreScorePlugin,
                    ScorePlugin,
                    ReservePlugin,
                    PermitPlugin,
                    EnqueueExtensions {
        private static final StateKey<String> MOVED = StateKey.of("Teams/moved");

        private final int most;
        private final Set<String> reserved = new java.util.concurrent.ConcurrentSkipListSet<>();

        private Teams(int most) {
            this.most = most;
        }

        private static String team(Pod pod) {
            return pod.labels().getOrDefault("team", "none");
        }

        @Override
        public String name() {
            return "Teams";
        }

        @Override
        public Status preEnqueue(Pod pod) {
            return team(pod).isEmpty() ? NO_TEAM : Status.success();
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            return switch (team(pod)) {
                case "none" -> PreFilterResult.skip();
                case "banned" -> PreFilterResult.rejected(BANNED);
                case "old" -> PreFilterResult.onlyNodes(Set.of("n2"));
                default -> PreFilterResult.allNodes();
            };
        }

        @Override
        public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
            state.put(MOVED, added.name());
        }

        @Override
        public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
            state.put(MOVED, removed.name());
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            if (team(pod).equals("broken")) {
                throw new IllegalStateException("broken team");
            }
            long mates = node.pods().stream()
                    .filter(other -> team(other).equals(team(pod)))
                    .count();
            return mates + (reserved.contains(node.name()) ? 1 : 0) < most ? Status.success() : FULL;
        }

        @Override
        public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
            return team(pod).equals("none") ? Status.skip() : Status.success();
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return node.node().labels().containsKey("old") ? 1 : 0;
        }

        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            return scores.scaledTo100().reversed();
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            reserved.add(nodeName);
            return Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            reserved.remove(nodeName);
        }

        @Override
        public PermitResult permit(CycleState state, Pod pod, String nodeName) {
            return PermitResult.allow();
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(EventRegistration.of(
                    ClusterEvent.of(EventResource.POD, ActionType.DELETE),
                    Pod.class,
                    (pod, change) -> Hint.queueIf(team(change.latest()).equals(team(pod)))));
        }
    }

    private record Factory() implements PluginFactory<Args> {
        @Override
        public String name() {
            return "Teams";
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new Teams(args.most);
        }
    }

    /** Remembers what it is only to try. */
    private static final class Careless extends Teams {
        private boolean tried;

        private Careless() {
            super(1);
        }

        @Override
        public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
            tried = true;
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return tried ? FULL : Status.success();
        }
    }

    private record CarelessFactory() implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return "Teams";
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new Careless();
        }
    }
}
