// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class TaintTolerationTest {
    private static final PluginTester PLUGIN = PluginTester.of(TaintToleration.FACTORY);
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
            PLUGIN.cluster(c.node).pod(c.pod.build()).filters("n", c.status);
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
            PluginTester plain = PLUGIN.cluster(
                    Nodes.named("n").taint("level", c.taint, Taint.NO_SCHEDULE).build());
            PluginTester comparing = plain.features(
                    FeatureGates.DEFAULTS.with(FeatureGates.TAINT_TOLERATION_COMPARISON_OPERATORS, true));
            comparing.pod(pod).filters("n", c.tolerated ? Status.success() : UNTOLERATED);
            plain.pod(pod).filters("n", c.tolerated && c.operator.equals("Equal") ? Status.success() : UNTOLERATED);
        }
    }

    @Nested
    class Score {
        private final PluginTester plugin = PLUGIN.cluster(
                Nodes.named("none").build(),
                Nodes.named("one").taint("a", "", Taint.PREFER_NO_SCHEDULE).build(),
                Nodes.named("three")
                        .taint("a", "", Taint.PREFER_NO_SCHEDULE)
                        .taint("b", "", Taint.PREFER_NO_SCHEDULE)
                        .taint("c", "", Taint.PREFER_NO_SCHEDULE)
                        .taint("d", "", Taint.NO_SCHEDULE)
                        .build());

        // Tolerates the taint that would keep it off a node.
        private static Pods pod() {
            return Pods.named("p").tolerates("d", "", Taint.NO_SCHEDULE);
        }

        @Test
        void countsTaintsToBeAvoidedAgainstANode() {
            plugin.pod(pod().build()).scores("none", 100).scores("one", 67).scores("three", 0);
        }

        @Test
        void ignoresToleratedOnes() {
            plugin.pod(pod().toleratesAll("b").toleratesAll("c").build())
                    .scores("none", 100)
                    .scores("one", 0)
                    .scores("three", 0);
        }

        @Test
        void takesATolerationOfAnotherEffectForNone() {
            plugin.pod(pod().tolerates("a", "", Taint.NO_SCHEDULE).build())
                    .scores("none", 100)
                    .scores("one", 67)
                    .scores("three", 0);
        }

        @Test
        void givesAllNodesTheBestScoreIfThereIsNothingToAvoid() {
            PLUGIN.cluster(CLEAN).pod(PLAIN).scores("n", 100);
        }
    }

    @Nested
    class Events {
        record Case(String name, ObjectChange<? extends ClusterObject> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a new node without taints", ObjectChange.added(CLEAN), Hint.QUEUE),
            new Case("a new node with a taint", ObjectChange.added(tainted(Taint.NO_SCHEDULE)), Hint.SKIP),
            new Case(
                    "a node that loses its taint", ObjectChange.updated(tainted(Taint.NO_SCHEDULE), CLEAN), Hint.QUEUE),
            new Case(
                    "a node that never kept the pod off",
                    ObjectChange.updated(tainted(Taint.PREFER_NO_SCHEDULE), CLEAN),
                    Hint.SKIP),
            new Case(
                    "a node that keeps a taint",
                    ObjectChange.updated(tainted(Taint.NO_SCHEDULE, Taint.NO_EXECUTE), tainted(Taint.NO_SCHEDULE)),
                    Hint.SKIP),
            new Case(
                    "the pod tolerates something else",
                    ObjectChange.updated(
                            PLAIN, Pods.named("p").toleratesAll("gpu").build()),
                    Hint.QUEUE),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hints(Case c) {
            PLUGIN.pod(PLAIN).hint(c.change, c.hint);
        }

        @Test
        void isNotAskedAboutAnotherPodThatWaits() {
            PLUGIN.pod(PLAIN)
                    .isNotAskedAbout(ObjectChange.added(Pods.named("other").build()));
        }

        @Test
        void waitsForNodesAndTolerations() {
            PLUGIN.registers("NodeAdd|UpdateNodeTaint", "TargetPodUpdatePodToleration");
        }
    }
}
