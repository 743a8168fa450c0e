// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.testkit.Selectors.labels;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.Problems;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;

class PodTopologySpreadTest {
    private static final Status OK = Status.success();
    private static final Status SKEWED = Status.unschedulable("node(s) didn't match pod topology spread constraints");
    private static final Status NO_LABEL =
            Status.unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");
    private static final String HARD = "DoNotSchedule";
    private static final String SOFT = "ScheduleAnyway";
    private static final String HOST = "kubernetes.io/hostname";

    private static final Node A1 = node("a1", "a");
    private static final Node A2 = node("a2", "a");
    private static final Node B1 = node("b1", "b");
    private static final Node NOWHERE = Nodes.named("nowhere").build();
    private static final PluginTester PLUGIN = PluginTester.of(PodTopologySpread.FACTORY);
    private static final PodTopologySpread.Args LISTED =
            new PodTopologySpread.Args(List.of(spread(1, "rack", HARD, Optional.empty())), PodTopologySpread.Args.LIST);

    private static Node node(String name, String rack) {
        return Nodes.named(name).label("rack", rack).label(HOST, name).build();
    }

    private static Pods web(String name) {
        return Pods.named(name).label("app", "web");
    }

    private static TopologySpreadConstraint spread(
            int maxSkew, String key, String action, Optional<LabelSelector> selector) {
        return spread(maxSkew, key, action, selector, OptionalInt.empty(), "", "");
    }

    private static TopologySpreadConstraint spread(
            int maxSkew,
            String key,
            String action,
            Optional<LabelSelector> selector,
            OptionalInt minDomains,
            String nodeAffinityPolicy,
            String nodeTaintsPolicy,
            String... matchLabelKeys) {
        return new TopologySpreadConstraint(
                maxSkew,
                key,
                action,
                selector,
                minDomains,
                nodeAffinityPolicy,
                nodeTaintsPolicy,
                List.of(matchLabelKeys));
    }

    private static Optional<LabelSelector> webs() {
        return Optional.of(labels("app", "web"));
    }

    private static List<Pod> built(List<Pods> pods) {
        return pods.stream().map(Pods::build).toList();
    }

    @Nested
    class Filter {
        record Case(String name, Pods pod, List<Pods> others, Status a1, Status b1, Status nowhere) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final List<Pods> TWO_IN_A = List.of(web("x").on("a1"), web("y").on("a2"));

        static final Case[] CASES = {
            new Case(
                    "the least domain is open",
                    web("p").spread(spread(1, "rack", HARD, webs())),
                    List.of(web("x").on("a2")),
                    SKEWED,
                    OK,
                    NO_LABEL),
            new Case(
                    "a larger skew",
                    web("p").spread(spread(2, "rack", HARD, webs())),
                    List.of(web("x").on("a2")),
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "a pod that does not count itself",
                    Pods.named("p").spread(spread(1, "rack", HARD, webs())),
                    List.of(web("x").on("a2")),
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "pods that are going, or are elsewhere, do not count",
                    web("p").spread(spread(1, "rack", HARD, webs())),
                    List.of(
                            web("x").deleting(Instant.EPOCH).on("a1"),
                            web("y").namespace("shop").on("a1")),
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "a selector of everything counts none",
                    web("p").spread(spread(1, "rack", HARD, Optional.of(labels()))),
                    TWO_IN_A,
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "no selector counts none",
                    web("p").spread(spread(1, "rack", HARD, Optional.empty())),
                    TWO_IN_A,
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "too few domains",
                    web("p").spread(spread(1, "rack", HARD, webs(), OptionalInt.of(3), "", "")),
                    List.of(web("x").on("a1"), web("y").on("b1")),
                    SKEWED,
                    SKEWED,
                    NO_LABEL),
            new Case(
                    "nodes that the pod does not select are no domain",
                    web("p").nodeSelector("rack", "a").spread(spread(1, "rack", HARD, webs())),
                    TWO_IN_A,
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "unless the policy ignores that",
                    web("p").nodeSelector("rack", "a")
                            .spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "Ignore", "")),
                    TWO_IN_A,
                    SKEWED,
                    OK,
                    NO_LABEL),
            new Case(
                    "only pods that share a label",
                    web("p").label("hash", "1")
                            .spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "", "", "hash", "gone")),
                    List.of(web("x").label("hash", "2").on("a1"), web("y").on("a1")),
                    OK,
                    OK,
                    NO_LABEL),
            new Case(
                    "two constraints",
                    web("p").spread(spread(1, "rack", HARD, webs())).spread(spread(1, HOST, HARD, webs())),
                    List.of(web("x").on("a1"), web("y").on("b1")),
                    SKEWED,
                    SKEWED,
                    NO_LABEL),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            PLUGIN.cluster(A1, A2, B1, NOWHERE)
                    .cluster(built(c.others))
                    .pod(c.pod.build())
                    .filters("a1", c.a1)
                    .filters("b1", c.b1)
                    .filters("nowhere", c.nowhere);
        }

        @Test
        void excludesNodesWithTaintsByPolicy() {
            Node tainted = Nodes.named("t")
                    .label("rack", "t")
                    .taint("gpu", "", Taint.NO_SCHEDULE)
                    .build();
            PluginTester plugin = PLUGIN.cluster(A1, tainted, web("x").on("a1").build());
            Pods ignoring = web("p").spread(spread(1, "rack", HARD, webs()));
            Pods honoring = web("p").spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "", "Honor"));
            plugin.pod(ignoring.build()).rejects("a1", SKEWED);
            plugin.pod(honoring.build()).accepts("a1");
            plugin.pod(honoring.toleratesAll("gpu").build()).rejects("a1", SKEWED);
        }

        @Test
        void readsLabelKeysAndNumbersAsFeaturesHaveIt() {
            Node tainted = Nodes.named("t")
                    .label("rack", "t")
                    .taint("size", "5", Taint.NO_SCHEDULE)
                    .build();
            PluginTester plugin = PLUGIN.cluster(
                    A1, tainted, web("x").label("hash", "1").on("a1").build());
            Pod pod = web("p").label("hash", "2")
                    .toleration(new Toleration("size", "Gt", "4", ""))
                    .spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "", "Honor", "hash"))
                    .build();
            String keys = FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD;
            String merge = FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE;
            String numbers = FeatureGates.TAINT_TOLERATION_COMPARISON_OPERATORS;
            plugin.pod(pod).accepts("a1");
            // Another pod.
            plugin.features(FeatureGates.of(Map.of(numbers, true))).pod(pod).accepts("a1");
            // A like pod, but in the only rack.
            plugin.features(FeatureGates.of(Map.of(keys, false, merge, false)))
                    .pod(pod)
                    .accepts("a1");
            // A like pod, and an empty rack.
            plugin.features(FeatureGates.of(Map.of(keys, false, merge, false, numbers, true)))
                    .pod(pod)
                    .rejects("a1", SKEWED)
                    .accepts("t");
        }

        @Test
        void failsIfASelectorIsNotValid() {
            LabelSelector bad =
                    new LabelSelector(Map.of(), List.of(new LabelSelector.Requirement("app", "Like", List.of())));
            Pod pod = web("p").spread(spread(1, "rack", HARD, Optional.of(bad))).build();
            PLUGIN.cluster(A1)
                    .pod(pod)
                    .fails("get constraints from pod: obtaining pod's hard topology spread constraints: \"Like\" is"
                            + " not a valid label selector operator");
        }
    }

    @Nested
    class Drafts {
        private final Pod pod = web("p").spread(spread(1, "rack", HARD, webs())).build();

        @Test
        void theLeastDomainMayFillUp() {
            Pod first = web("n1").build();
            PodTester asItIs = PLUGIN.cluster(A1, A2, B1, web("x").on("a1").build())
                    .pod(pod)
                    .rejects("a1", SKEWED);
            PodTester withOne = asItIs.withPodAdded("b1", first).accepts("b1", "a1");
            PodTester withTwo = withOne.withPodAdded("b1", web("n2").build()).rejects("b1", SKEWED);
            withTwo.withPodRemoved("b1", first).accepts("b1");
        }

        @Test
        void countsPodsThatThePassOverTheClusterOmits() {
            Pod going = web("x").deleting(Instant.EPOCH).on("a1").build();
            // As upstream: it was not counted, but is taken off.
            PLUGIN.cluster(A1, B1, going).pod(pod).withPodRemoved("a1", going).rejects("b1", SKEWED);
        }

        @Test
        void changesOnSeveralNodesAddUp() {
            PodTester one = PLUGIN.cluster(A1, B1)
                    .pod(pod)
                    .withPodAdded("a1", web("x").build())
                    .rejects("a1", SKEWED);
            PodTester two = one.withPodAdded("b1", web("y").build()).accepts("a1");
            two.withPodAdded("a1", web("z").namespace("shop").build()).accepts("a1");
        }
    }

    @Nested
    class Score {
        @Test
        void prefersDomainsWithFewPods() {
            Pod pod = web("p").spread(spread(1, "rack", SOFT, webs())).build();
            checkScores(
                    tester(web("x").on("a1"), web("y").on("a2"), web("z").on("b1"))
                            .pod(pod),
                    33,
                    33,
                    100,
                    0);
        }

        @Test
        void countsAHostsOwnPods() {
            Pod pod = web("p").spread(spread(1, HOST, SOFT, webs())).build();
            checkScores(
                    tester(web("x").on("a1"), web("y").on("a1"), web("z").on("b1"))
                            .pod(pod),
                    0,
                    100,
                    33,
                    0);
        }

        @Test
        void isIndifferentWhereNothingCounts() {
            Pod pod = web("p").spread(spread(1, "rack", SOFT, webs())).build();
            checkScores(tester().pod(pod), 100, 100, 100, 0);
        }

        @Test
        void skipsPodsWithoutConstraints() {
            tester().pod(web("p").build()).skipsScore();
            tester().pod(web("p").spread(spread(1, "rack", HARD, webs())).build())
                    .skipsScore();
        }

        private static PluginTester tester(Pods... others) {
            return PLUGIN.cluster(A1, A2, B1, NOWHERE).cluster(built(List.of(others)));
        }
    }

    private static void checkScores(PodTester tester, long a1, long a2, long b1, long nowhere) {
        tester.scores("a1", a1).scores("a2", a2).scores("b1", b1).scores("nowhere", nowhere);
    }

    @Nested
    class Defaults {
        private static final List<ClusterObject> CLUSTER = List.of(
                A1,
                A2,
                B1,
                NOWHERE,
                web("x").on("a1").build(),
                web("y").label("tier", "front").on("a1").build(),
                web("z").on("b1").build());

        private static ObjectMeta meta(String name) {
            return ObjectMeta.named(name).namespace("default").build();
        }

        @Test
        void ofTheSystemSpreadPodsOfAServiceOverHostsWithoutZones() {
            PodTester tester = PLUGIN.cluster(CLUSTER)
                    .cluster(new Service(meta("s"), Map.of("app", "web")), new Service(meta("t"), Map.of("app", "db")))
                    .pod(web("p").build())
                    .skipsFilter();
            checkScores(tester, 0, 66, 33, 100);
        }

        @Test
        void doNotApplyToPodsThatNothingSelects() {
            PLUGIN.cluster(CLUSTER).pod(web("p").build()).skipsScore();
        }

        record Case(String name, Pods pod, Status a1) {
            @Override
            public String toString() {
                return name;
            }
        }

        // Two pods of rack a are webs, one of them in front; so is one in rack b.
        static final Case[] CASES = {
            new Case("nobody's", web("p").label("tier", "front"), Status.skip()),
            new Case(
                    "a replica set's",
                    web("p").label("tier", "front").controlledBy("apps/v1", "ReplicaSet", "front"),
                    SKEWED),
            new Case("a stateful set's", web("p").controlledBy("apps/v1", "StatefulSet", "webs"), SKEWED),
            new Case(
                    "a replication controller's", web("p").controlledBy("v1", "ReplicationController", "webs"), SKEWED),
            new Case("one that is gone", web("p").controlledBy("apps/v1", "ReplicaSet", "gone"), Status.skip()),
            new Case(
                    "one of a version that is gone",
                    web("p").controlledBy("apps/v1beta1", "StatefulSet", "webs"),
                    Status.skip()),
            new Case(
                    "with an explicit constraint",
                    web("p").controlledBy("apps/v1", "StatefulSet", "webs").spread(spread(1, "rack", SOFT, webs())),
                    Status.skip()),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void followFromTheController(Case c) {
            PodTester tester = PluginTester.of(PodTopologySpread.FACTORY, LISTED)
                    .cluster(CLUSTER)
                    .cluster(
                            new ReplicaSet(meta("front"), Optional.of(labels("tier", "front"))),
                            new StatefulSet(meta("webs"), webs()),
                            new ReplicationController(meta("webs"), Map.of("app", "web")))
                    .pod(c.pod.build());
            if (c.a1.isSkip()) {
                tester.skipsFilter();
            } else {
                tester.filters("a1", c.a1);
            }
        }
    }

    @Nested
    class Events {
        private static final Pods POD = web("p").spread(spread(1, "rack", HARD, webs()));
        private static final Pods HONORING =
                web("p").spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "", "Honor"));
        private static final Pod WEB = web("x").on("a1").build();
        private static final Pod OTHER = Pods.named("x").on("a1").build();
        private static final Node TAINTED = Nodes.named("a1")
                .label("rack", "a")
                .taint("t", "", Taint.NO_SCHEDULE)
                .build();

        record Case(String name, Pods pod, ObjectChange<? extends ClusterObject> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a pod that counts comes", POD, ObjectChange.added(WEB), Hint.QUEUE),
            new Case("another pod comes", POD, ObjectChange.added(OTHER), Hint.SKIP),
            new Case(
                    "a pod of another namespace comes",
                    POD,
                    ObjectChange.added(web("x").namespace("shop").on("a1").build()),
                    Hint.SKIP),
            new Case("a pod that counts goes", POD, ObjectChange.deleted(WEB), Hint.QUEUE),
            new Case("a pod counts no longer", POD, ObjectChange.updated(WEB, OTHER), Hint.QUEUE),
            new Case(
                    "a pod counts as before",
                    POD,
                    ObjectChange.updated(
                            WEB, web("x").label("tier", "front").on("a1").build()),
                    Hint.SKIP),
            new Case(
                    "the pod tolerates more",
                    POD,
                    ObjectChange.updated(POD.build(), web("p").toleratesAll("t").build()),
                    Hint.SKIP),
            new Case(
                    "the pod tolerates more, and that matters",
                    HONORING,
                    ObjectChange.updated(
                            HONORING.build(), web("p").toleratesAll("t").build()),
                    Hint.QUEUE),
            new Case("a node with the key comes", POD, ObjectChange.added(A1), Hint.QUEUE),
            new Case("a node without the key comes", POD, ObjectChange.added(NOWHERE), Hint.SKIP),
            new Case("a node with the key goes", POD, ObjectChange.deleted(A1), Hint.QUEUE),
            new Case("a node loses the key", POD, ObjectChange.updated(A1, NOWHERE), Hint.QUEUE),
            new Case("a node moves", POD, ObjectChange.updated(A1, B1), Hint.QUEUE),
            new Case("a node stays", POD, ObjectChange.updated(A1, A2), Hint.SKIP),
            new Case("a node is tainted", POD, ObjectChange.updated(A1, TAINTED), Hint.QUEUE),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hints(Case c) {
            PLUGIN.pod(c.pod.build()).hint(c.change, c.hint);
        }
    }

    @Test
    void isNotAskedAboutAnotherPodThatWaits() {
        PLUGIN.pod(Events.POD.build()).isNotAskedAbout(ObjectChange.added(web("x").build()));
    }

    @Test
    void checksItsArguments() {
        Problems problems = Problems.collector();
        new PodTopologySpread.Args(
                        List.of(
                                spread(0, "rack", HARD, Optional.empty()),
                                spread(1, "", "Perhaps", Optional.empty()),
                                spread(1, "no key", "", Optional.empty()),
                                spread(2, "rack", HARD, webs())),
                        "")
                .validate(problems);
        new PodTopologySpread.Args(List.of(), "Else").validate(problems);
        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly(
                        "defaultingType: \"System\" (expected: List, when there are defaultConstraints)",
                        "defaultConstraints[0].maxSkew: 0 (expected: more than 0)",
                        "defaultConstraints[1].topologyKey: missing (expected: the key of a node label)",
                        "defaultConstraints[1].whenUnsatisfiable: \"Perhaps\" (expected: DoNotSchedule or"
                                + " ScheduleAnyway)",
                        "defaultConstraints[2].topologyKey: \"no key\" (expected: letters, digits, '-', '_' and '.', at"
                                + " most 63, with an optional prefix such as example.com/)",
                        "defaultConstraints[2].whenUnsatisfiable: missing (expected: DoNotSchedule or ScheduleAnyway)",
                        "defaultConstraints[3].labelSelector: present (expected: nothing, it follows from each pod)",
                        "defaultConstraints[3]: \"{rack, DoNotSchedule}\" (expected: no two constraints of one key and"
                                + " action)",
                        "defaultingType: \"Else\" (expected: System or List)");
    }
}
