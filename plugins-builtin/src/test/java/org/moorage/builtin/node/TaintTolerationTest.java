// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class TaintTolerationTest {
    private static final TaintToleration PLUGIN =
            new TaintToleration.Factory().create(PluginArgs.None.DEFAULTS, TestHandle.create());
    private static final Status UNTOLERATED = Status.unresolvable("node(s) had untolerated taint(s)");
    private static final Pod PLAIN = Pods.named("p").build();
    private static final Node CLEAN = Nodes.named("n").build();

    private static Node tainted(String... effects) {
        Nodes node = Nodes.named("n");
        for (String effect : effects) {
            node.taint("dedicated", "batch", effect);
        }
        return node.build();
    }

    @Nested
    class Filter {
        record Case(String name, Pods pod, Node node, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a node without taints takes any pod", Pods.named("p"), CLEAN, Status.success()),
            new Case("NoSchedule keeps a pod off", Pods.named("p"), tainted(Taint.NO_SCHEDULE), UNTOLERATED),
            new Case("NoExecute keeps a pod off", Pods.named("p"), tainted(Taint.NO_EXECUTE), UNTOLERATED),
            new Case(
                    "PreferNoSchedule does not keep a pod off",
                    Pods.named("p"),
                    tainted(Taint.PREFER_NO_SCHEDULE),
                    Status.success()),
            new Case(
                    "an equal value is tolerated",
                    Pods.named("p").tolerates("dedicated", "batch", Taint.NO_SCHEDULE),
                    tainted(Taint.NO_SCHEDULE),
                    Status.success()),
            new Case(
                    "another value is not",
                    Pods.named("p").tolerates("dedicated", "web", Taint.NO_SCHEDULE),
                    tainted(Taint.NO_SCHEDULE),
                    UNTOLERATED),
            new Case(
                    "no operator means Equal",
                    Pods.named("p").toleration(new Toleration("dedicated", "", "batch", "")),
                    tainted(Taint.NO_SCHEDULE),
                    Status.success()),
            new Case(
                    "an operator that is not known tolerates nothing",
                    Pods.named("p").toleration(new Toleration("dedicated", "Gt", "batch", "")),
                    tainted(Taint.NO_SCHEDULE),
                    UNTOLERATED),
            new Case(
                    "the effect must be the same",
                    Pods.named("p").tolerates("dedicated", "batch", Taint.NO_EXECUTE),
                    tainted(Taint.NO_SCHEDULE),
                    UNTOLERATED),
            new Case(
                    "no effect stands for all",
                    Pods.named("p").tolerates("dedicated", "batch", ""),
                    tainted(Taint.NO_SCHEDULE, Taint.NO_EXECUTE),
                    Status.success()),
            new Case(
                    "no key with Exists tolerates everything",
                    Pods.named("p").toleratesAll(""),
                    tainted(Taint.NO_SCHEDULE, Taint.NO_EXECUTE),
                    Status.success()),
            new Case(
                    "each taint must be tolerated",
                    Pods.named("p").tolerates("dedicated", "batch", Taint.NO_SCHEDULE),
                    tainted(Taint.NO_SCHEDULE, Taint.NO_EXECUTE),
                    UNTOLERATED),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            assertThat(PLUGIN.filter(
                            new CycleState(),
                            c.pod.build(),
                            ClusterSketch.of(c.node).nodeInfo("n")))
                    .isEqualTo(c.status);
        }
    }

    @Nested
    class Comparison {
        record Case(String operator, String taint, String toleration, boolean tolerated) {}

        static final Case[] CASES = {
            new Case("Gt", "10", "9", true),
            new Case("Gt", "9", "9", false),
            new Case("Gt", "-1", "-2", true),
            new Case("Lt", "8", "9", true),
            new Case("Lt", "10", "9", false),
            new Case("Lt", "08", "9", false),
            new Case("Gt", "+10", "9", false),
            new Case("Lt", "a", "9", false),
            new Case("Equal", "9", "9", true),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void ofNumbersIsForTheFeatureGateToAllow(Case c) {
            Pod pod = Pods.named("p")
                    .toleration(new Toleration("level", c.operator, c.toleration, ""))
                    .build();
            NodeInfo node = ClusterSketch.of(Nodes.named("n")
                            .taint("level", c.taint, Taint.NO_SCHEDULE)
                            .build())
                    .nodeInfo("n");
            TaintToleration comparing = new TaintToleration.Factory()
                    .create(
                            PluginArgs.None.DEFAULTS,
                            TestHandle.create()
                                    .with(FeatureGates.DEFAULTS.with(
                                            FeatureGates.TAINT_TOLERATION_COMPARISON_OPERATORS, true)));
            assertThat(comparing.filter(new CycleState(), pod, node).isSuccess())
                    .isEqualTo(c.tolerated);
            assertThat(PLUGIN.filter(new CycleState(), pod, node).isSuccess())
                    .isEqualTo(c.tolerated && c.operator.equals("Equal"));
        }
    }

    @Nested
    class Score {
        private final ClusterSketch cluster = ClusterSketch.of(
                Nodes.named("none").build(),
                Nodes.named("one").taint("a", "", Taint.PREFER_NO_SCHEDULE).build(),
                Nodes.named("three")
                        .taint("a", "", Taint.PREFER_NO_SCHEDULE)
                        .taint("b", "", Taint.PREFER_NO_SCHEDULE)
                        .taint("c", "", Taint.PREFER_NO_SCHEDULE)
                        .taint("d", "", Taint.NO_SCHEDULE)
                        .build());

        private long[] scores(Pod pod, ClusterSketch among) {
            CycleState state = new CycleState();
            assertThat(PLUGIN.preScore(state, pod, among.nodes())).isEqualTo(Status.success());
            List<NodeInfo> nodes = among.nodes();
            long[] raw = nodes.stream()
                    .mapToLong(node -> PLUGIN.score(state, pod, node))
                    .toArray();
            return PLUGIN.normalize(state, pod, NodeScores.of(nodes, raw)).toArray();
        }

        @Test
        void countsTaintsToBeAvoidedAgainstANode() {
            assertThat(scores(PLAIN, cluster)).containsExactly(100, 67, 0);
        }

        @Test
        void leavesOutToleratedOnes() {
            Pod pod = Pods.named("p").toleratesAll("b").toleratesAll("c").build();
            assertThat(scores(pod, cluster)).containsExactly(100, 0, 0);
        }

        @Test
        void takesATolerationOfAnotherEffectForNone() {
            Pod pod = Pods.named("p").tolerates("a", "", Taint.NO_SCHEDULE).build();
            assertThat(scores(pod, cluster)).containsExactly(100, 67, 0);
        }

        @Test
        void givesAllNodesTheBestScoreIfThereIsNothingToAvoid() {
            assertThat(scores(PLAIN, ClusterSketch.of(CLEAN))).containsExactly(100);
        }
    }

    @Nested
    class Events {
        record Case(String name, ObjectChange<Object> change, int registration, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a new node without taints", ObjectChange.added(CLEAN), 0, Hint.QUEUE),
            new Case("a new node with a taint", ObjectChange.added(tainted(Taint.NO_SCHEDULE)), 0, Hint.SKIP),
            new Case(
                    "a node that loses its taint",
                    ObjectChange.updated(tainted(Taint.NO_SCHEDULE), CLEAN),
                    0,
                    Hint.QUEUE),
            new Case(
                    "a node that never kept the pod off",
                    ObjectChange.updated(tainted(Taint.PREFER_NO_SCHEDULE), CLEAN),
                    0,
                    Hint.SKIP),
            new Case(
                    "a node that keeps a taint",
                    ObjectChange.updated(tainted(Taint.NO_SCHEDULE, Taint.NO_EXECUTE), tainted(Taint.NO_SCHEDULE)),
                    0,
                    Hint.SKIP),
            new Case("the pod tolerates something else", ObjectChange.updated(PLAIN, PLAIN), 1, Hint.QUEUE),
            new Case(
                    "another pod tolerates something else",
                    ObjectChange.added(Pods.named("other").build()),
                    1,
                    Hint.SKIP),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hints(Case c) {
            assertThat(PLUGIN.eventsToRegister().get(c.registration).hint().hint(PLAIN, c.change))
                    .isEqualTo(c.hint);
        }

        @Test
        void waitsForNodesAndTolerations() {
            assertThat(PLUGIN.eventsToRegister())
                    .extracting(EventRegistration::event)
                    .extracting(Object::toString)
                    .containsExactly("NodeAdd|UpdateNodeTaint", "PodUpdatePodToleration");
        }
    }
}
