// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

class PluginContractTest {
    private static final String NAME = "Sample";
    private static final Status CLOSED = Status.unschedulable("closed");

    record Case(String name, PluginFactory<?> factory, String complaint) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] BROKEN = {
        new Case("a blank name", new Factory<>(" ", PluginArgs.None.class, handle -> new Fair()), "name: blank"),
        new Case(
                "a name that is not the factory's",
                new Factory<>("Other", PluginArgs.None.class, handle -> new Fair()),
                "name: \"Sample\" (expected: that of its factory, \"Other\")"),
        new Case(
                "arguments without defaults",
                new Factory<>(NAME, NoDefaults.class, handle -> new Fair()),
                "no public static DEFAULTS"),
        new Case(
                "a record within that has defaults of another type",
                new Factory<>(NAME, Outer.class, handle -> new Fair()),
                "Inner: DEFAULTS is not a static of this type"),
        new Case(
                "defaults that are not valid",
                new Factory<>(NAME, Invalid.class, handle -> new Fair()),
                "DEFAULTS are not valid: size: 0 (expected: more than 0)"),
        new Case(
                "arguments that change when made anew",
                new Factory<>(NAME, Growing.class, handle -> new Fair()),
                "made anew from its parts"),
        new Case(
                "a filter without events",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Deaf()),
                "EnqueueExtensions"),
        new Case(
                "a filter with an empty list of events",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Silent()),
                "names no event"),
        new Case(
                "answers that change",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Fickle()),
                "other answers the second time"),
        new Case(
                "scores out of range",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Boastful()),
                "it should in the range of [0, 100]"),
        new Case(
                "a filter that changes the cluster",
                new Factory<>(NAME, PluginArgs.None.class, Meddling::new),
                "changes the cluster before a node is chosen"),
        new Case(
                "a plugin that keeps what it reserved",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Greedy()),
                "other answers for another pod after Reserve and Unreserve"),
        new Case(
                "a plugin that takes what is tried on copies for true",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Careless()),
                "other answers after AddPod and RemovePod on copies"),
        new Case(
                "a queueing hint that fails",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Hasty()),
                "queueing hint for NodeAdd fails for Node plain: java.util.NoSuchElementException"),
        new Case(
                "a plugin that fails",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Failing()),
                "fails for pod empty: java.lang.IllegalStateException: broken"),
        new Case(
                "a queueing hint that fails for a custom resource without a specification",
                new Factory<>(NAME, PluginArgs.None.class, Demanding::new),
                "queueing hint for budgets.v1.example.comAdd fails for Budget default/bare:"
                        + " java.util.NoSuchElementException"),
        new Case(
                "a filter of many nodes that differs from that of one node",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Fair() {
                    @Override
                    public Optional<Function<NodeInfo, Status>> nodeFilter(CycleState state, Pod pod) {
                        return Optional.of(node -> Status.unschedulable("never"));
                    }
                }),
                "nodeFilter and filter differ for pod empty: ["),
        new Case(
                "scores of many nodes that differ from those of one node",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Fair() {
                    @Override
                    public Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
                        return Optional.of(node -> score(state, pod, node) + 1);
                    }
                }),
                "nodeScorer and score differ for pod empty: ["),
        new Case(
                "a plugin that fails after a finding",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Failing() {
                    @Override
                    public List<EventRegistration> eventsToRegister() {
                        throw new IllegalStateException("no events");
                    }
                }),
                "no events"),
        new Case(
                "a plugin that fails in PreEnqueue, and later",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Gating()),
                "fails for pod empty: java.lang.IllegalStateException: closed\n"
                        + "  fails for pod modest: java.lang.IllegalStateException: closed"),
        new Case(
                "a signature without the labels that answers depend on",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Forgetful()),
                "signs pods default/empty {} and default/empty {app=web} alike, and answers other: filter of node closed"),
        new Case(
                "a signature for answers that depend on other pods",
                new Factory<>(NAME, PluginArgs.None.class, Comparing::new),
                "signs pod empty, and answers by other nodes or pods: score of node plain: 2, in a larger cluster 4"),
        new Case(
                "a signature that changes",
                new Factory<>(NAME, PluginArgs.None.class, handle -> new Unsteady()),
                "other signature the second time for pod empty"),
    };

    private static Case broken(String name, Function<Handle, Plugin> maker, String complaint) {
        return new Case(name, new Factory<>(NAME, PluginArgs.None.class, maker), complaint);
    }

    static final Case[] BROKEN_FOR_GROUPS = {
        broken(
                "placements that throw",
                handle -> new Halves() {
                    @Override
                    PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
                        throw new IllegalStateException("broken");
                    }
                },
                "fails for group basic: java.lang.IllegalStateException: broken"),
        broken(
                "placements that are null",
                handle -> new Halves() {
                    @Override
                    @SuppressWarnings("NullAway") // what is broken
                    PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
                        return null;
                    }
                },
                "is refused by the scheduler for group basic: "),
        broken(
                "nodes that are not among the parent's",
                handle -> new Halves() {
                    @Override
                    PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
                        boolean isWhole = parent.nodes().size() == all.size();
                        return PlacementGenerateResult.of(isWhole ? halves : List.of(Placement.of("all", all)));
                    }
                },
                "placement \"all\" for group first: has node "),
        broken(
                "nodes in another order",
                handle -> new Halves() {
                    @Override
                    PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
                        List<NodeInfo> nodes = new ArrayList<>(parent.nodes());
                        Collections.reverse(nodes);
                        return PlacementGenerateResult.of(List.of(Placement.of("all", nodes)));
                    }
                },
                "placement \"all\" for group basic: its nodes are not ordered by their index"),
        broken(
                "two placements of one name",
                handle -> new Halves() {
                    @Override
                    PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
                        return PlacementGenerateResult.of(List.of(parent, parent));
                    }
                },
                "placement \"\" for group basic: twice"),
        broken(
                "placements that change",
                handle -> new Halves() {
                    private boolean isAsked;

                    @Override
                    PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
                        boolean isFirst = !isAsked;
                        isAsked = true;
                        return PlacementGenerateResult.of(isFirst ? halves : List.of(parent));
                    }
                },
                "other answers the second time for group basic"),
        broken(
                "a score that is too high",
                handle -> new Halves() {
                    @Override
                    public PlacementScores normalizePlacementScores(
                            CycleState state, PodGroupInfo group, PlacementScores scores) {
                        long[] changed = scores.toArray();
                        changed[0] = 101;
                        return scores.with(changed);
                    }
                },
                "is refused by the scheduler for group basic: "),
        broken(
                "scores that differ from plugin to plugin",
                handle -> new Halves() {
                    @Override
                    public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
                        return MADE.incrementAndGet();
                    }
                },
                "other answers from a second plugin for group basic"),
        broken(
                "feasibility that is taken back",
                handle -> new Hesitant(),
                "takes back that a placement is feasible for group basic"),
        broken(
                "a PodGroupPostFilter that throws",
                handle -> new Preempting(),
                "fails for group left-out: java.lang.IllegalStateException: no idea"),
    };

    @ParameterizedTest
    @FieldSource("BROKEN_FOR_GROUPS")
    void findsWhatIsBrokenForGroups(Case c) {
        assertThatThrownBy(() -> PluginContract.verify(c.factory))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(c.complaint);
    }

    @Test
    void takesAPluginForGroupsThatKeepsIt() {
        assertThatCode(() -> PluginContract.verify(new Factory<>(NAME, PluginArgs.None.class, handle -> new Halves())))
                .doesNotThrowAnyException();
    }

    @Test
    void asksAboutTheGroupsOfTheTest() {
        Factory<PluginArgs.None> factory = new Factory<>(NAME, PluginArgs.None.class, handle -> new Halves() {
            @Override
            public PlacementGenerateResult generatePlacements(
                    CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
                if (group.group().metadata().annotations().containsKey("odd")) {
                    throw new IllegalStateException("odd");
                }
                return super.generatePlacements(state, group, parent, snapshot);
            }
        });

        assertThatThrownBy(() -> PluginContract.verify(
                        factory,
                        PluginArgs.None.DEFAULTS,
                        PodGroups.named("odd").annotation("odd", "").build()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("fails for group odd: java.lang.IllegalStateException: odd");
    }

    @ParameterizedTest
    @FieldSource("BROKEN")
    void findsWhatIsBroken(Case c) {
        assertThatThrownBy(() -> PluginContract.verify(c.factory))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(c.complaint);
    }

    @Test
    void aRecordWithinNeedsNoDefaults() {
        assertThatCode(() -> PluginContract.verify(new Factory<>(NAME, Prices.class, handle -> new Fair())))
                .doesNotThrowAnyException();
    }

    @Test
    void takesAPluginThatKeepsIt() {
        assertThatCode(() -> PluginContract.verify(new Factory<>(NAME, PluginArgs.None.class, handle -> new Fair())))
                .doesNotThrowAnyException();
    }

    @Test
    void takesAPluginThatReportsChangesOfWhatItsScoresDependOn() {
        assertThatCode(() -> PluginContract.verify(new Factory<>(NAME, PluginArgs.None.class, Reporting::new)))
                .doesNotThrowAnyException();
    }

    // Checks planned for a pod that PreFilter rejects must not run for the next one.
    @Test
    void takesAPluginThatRejectsAPodAtOnce() {
        assertThatCode(() -> PluginContract.verify(new Factory<>(NAME, PluginArgs.None.class, handle -> new Picky())))
                .doesNotThrowAnyException();
    }

    @Test
    void takesArgumentsWhereTheDefaultsAreNotValid() {
        Factory<Invalid> factory = new Factory<>(NAME, Invalid.class, handle -> new Fair());

        assertThatCode(() -> PluginContract.verify(factory, new Invalid(3))).doesNotThrowAnyException();
        assertThatThrownBy(() -> PluginContract.verify(factory, new Invalid(-3)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the given arguments are not valid: size: -3 (expected: more than 0)");
    }

    @Test
    void triesHintsWithTheObjectsOfTheTest() {
        Factory<PluginArgs.None> factory = new Factory<>(NAME, PluginArgs.None.class, Demanding::new);
        OtherObject odd = new OtherObject(
                Demanding.BUDGET,
                ObjectMeta.named("odd").namespace("default").build(),
                "{\"spec\": {\"open\": \"yes\"}}");

        assertThatThrownBy(() -> PluginContract.verify(factory, PluginArgs.None.DEFAULTS, odd))
                .hasMessageContaining(
                        "fails for Budget default/odd: java.lang.IllegalArgumentException: spec.open: \"yes\"");
    }

    @Test
    void findsTwoOfOneName() {
        Factory<PluginArgs.None> factory = new Factory<>(NAME, PluginArgs.None.class, handle -> new Fair());
        assertThatThrownBy(() -> PluginContract.verifyAll(List.of(factory, factory)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("two factories");
    }

    private record Factory<A extends PluginArgs>(String name, Class<A> argsType, Function<Handle, Plugin> maker)
            implements PluginFactory<A> {
        @Override
        public Plugin create(A args, Handle handle) {
            return maker.apply(handle);
        }
    }

    public record NoDefaults() implements PluginArgs {}

    public record Inner() {
        public static final String DEFAULTS = "";
    }

    public record Price(String zone, double perHour) {}

    public record Prices(List<Price> prices) implements PluginArgs {
        public static final Prices DEFAULTS = new Prices(List.of());
    }

    public record Outer(List<Inner> inner) implements PluginArgs {
        public static final Outer DEFAULTS = new Outer(List.of());
    }

    public record Invalid(int size) implements PluginArgs {
        public static final Invalid DEFAULTS = new Invalid(0);

        @Override
        public void validate(Problems problems) {
            if (size <= 0) {
                problems.at("size").invalid(size, "more than 0");
            }
        }
    }

    public record Growing(int size) implements PluginArgs {
        public static final Growing DEFAULTS = new Growing(0);

        public Growing {
            size++;
        }
    }

    private static class Fair implements FilterPlugin, ScorePlugin, EnqueueExtensions {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return node.node().unschedulable() ? Status.unschedulable("closed") : Status.success();
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return node.podCount();
        }

        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            return scores.scaledTo100().reversed();
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)));
        }
    }

    /** Places groups in one half of the nodes or the other. */
    private static class Halves implements PlacementGeneratePlugin, PlacementScorePlugin {
        static final AtomicInteger MADE = new AtomicInteger();
        List<NodeInfo> all = List.of();

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public PlacementGenerateResult generatePlacements(
                CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
            all = snapshot.nodes();
            int half = parent.nodes().size() / 2;
            return answer(
                    parent,
                    List.of(
                            Placement.of("first", parent.nodes().subList(0, half)),
                            Placement.of(
                                    "second",
                                    parent.nodes().subList(half, parent.nodes().size()))));
        }

        PlacementGenerateResult answer(Placement parent, List<Placement> halves) {
            return PlacementGenerateResult.of(halves);
        }

        @Override
        public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
            return assignments.proposed().size();
        }
    }

    private record Hesitant() implements PlacementFeasiblePlugin {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public PlacementFeasibleResult placementFeasible(
                CycleState state, PodGroupInfo group, PlacementProgress progress) {
            return progress.scheduled() == 0
                    ? PlacementFeasibleResult.feasible()
                    : PlacementFeasibleResult.waiting("not so sure");
        }
    }

    private record Preempting() implements PodGroupPostFilterPlugin {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
            throw new IllegalStateException("no idea");
        }
    }

    private static final class Silent extends Fair {
        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of();
        }
    }

    private static final class Fickle extends Fair {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return calls.incrementAndGet();
        }
    }

    private static final class Boastful extends Fair {
        @Override
        public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
            long[] tooHigh = new long[scores.size()];
            tooHigh[0] = 101;
            return scores.with(tooHigh);
        }
    }

    private static final class Meddling extends Fair {
        private final Handle handle;

        private Meddling(Handle handle) {
            this.handle = handle;
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            handle.cluster().writer().delete(pod);
            return Status.success();
        }
    }

    private static class Failing extends Fair {
        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            throw new IllegalStateException("broken");
        }
    }

    private static final class Greedy extends Fair implements ReservePlugin {
        private final AtomicInteger reserved = new AtomicInteger();

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return reserved.get() == 0 ? Status.success() : Status.unschedulable("reserved");
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            reserved.incrementAndGet();
            return Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {}
    }

    private static final class Careless extends Fair implements PreFilterPlugin, PreFilterExtensions {
        private final AtomicInteger tried = new AtomicInteger();

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            return PreFilterResult.allNodes();
        }

        @Override
        public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
            tried.incrementAndGet();
        }

        @Override
        public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {}

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return tried.get();
        }
    }

    private static final class Picky extends Fair implements PreFilterPlugin, PreFilterExtensions {
        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            return pod.name().equals("port")
                    ? PreFilterResult.rejected(Status.unschedulable("a port"))
                    : PreFilterResult.allNodes();
        }

        @Override
        public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {}

        @Override
        public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {}
    }

    private static final class Hasty extends Fair {
        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(EventRegistration.of(
                    ClusterEvent.of(EventResource.NODE, ActionType.ADD),
                    Node.class,
                    (pod, change) -> Hint.queueIf(change.before().orElseThrow().unschedulable())));
        }
    }

    private static final class Demanding extends Fair {
        private static final ObjectKind<OtherObject> BUDGET =
                ObjectKind.other("example.com/v1", "Budget", "budgets", true);

        Demanding(Handle handle) {
            ObjectLister<OtherObject> ignored = handle.cluster().lister(BUDGET);
        }

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(EventRegistration.of(
                    BUDGET,
                    Set.of(ActionType.ADD),
                    (pod, change) -> Hint.queueIf(
                            change.latest().fields().bool("spec", "open").orElseThrow())));
        }
    }

    private static final class Gating extends Fair implements PreEnqueuePlugin {
        @Override
        public Status preEnqueue(Pod pod) {
            throw new IllegalStateException("closed");
        }
    }

    private static final class Forgetful extends Fair implements SignPlugin {
        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return node.name().equals("closed") && pod.labels().containsKey("app") ? CLOSED : Status.success();
        }

        @Override
        public Optional<?> sign(Pod pod) {
            return Optional.of(pod.spec());
        }
    }

    private static class Comparing extends Fair implements SignPlugin {
        private final ObjectLister<Pod> pods;

        Comparing(Handle handle) {
            pods = handle.cluster().lister(ObjectKind.POD);
        }

        @Override
        public long score(CycleState state, Pod pod, NodeInfo node) {
            return pods.all().size();
        }

        @Override
        public Optional<?> sign(Pod pod) {
            return Optional.of(pod.spec());
        }
    }

    private static final class Reporting extends Comparing {
        private final NodeChanges changes = new NodeChanges();

        Reporting(Handle handle) {
            super(handle);
            handle.cluster().onChange(ObjectKind.POD, change -> changes.addAll());
        }

        @Override
        public Optional<NodeChanges> nodeChanges() {
            return Optional.of(changes);
        }
    }

    private static final class Unsteady extends Fair implements SignPlugin {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public Optional<?> sign(Pod pod) {
            return Optional.of(calls.incrementAndGet());
        }
    }

    private static final class Deaf implements FilterPlugin {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }
    }
}
