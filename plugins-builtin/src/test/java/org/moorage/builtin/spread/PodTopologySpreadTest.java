// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.testkit.Selectors.labels;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.NodeDraft;
import org.moorage.api.plugin.Problems;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

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

    private static PodTopologySpread plugin(TestHandle handle, PodTopologySpread.Args args) {
        return new PodTopologySpread.Factory().create(args, handle);
    }

    private static PodTopologySpread plugin(ClusterSketch cluster) {
        return plugin(TestHandle.of(cluster), PodTopologySpread.Args.DEFAULTS);
    }

    private static Pod[] built(List<Pods> pods) {
        return pods.stream().map(Pods::build).toArray(Pod[]::new);
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
                    "unless that is to be ignored",
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
            ClusterSketch cluster = ClusterSketch.of(A1, A2, B1, NOWHERE).with(built(c.others));
            assertThat(answers(plugin(cluster), c.pod.build(), cluster, "a1", "b1", "nowhere"))
                    .containsExactly(c.a1, c.b1, c.nowhere);
        }

        @Test
        void leavesOutNodesWithTaintsIfAskedTo() {
            Node tainted = Nodes.named("t")
                    .label("rack", "t")
                    .taint("gpu", "", Taint.NO_SCHEDULE)
                    .build();
            ClusterSketch cluster =
                    ClusterSketch.of(A1, tainted).with(web("x").on("a1").build());
            Pods ignoring = web("p").spread(spread(1, "rack", HARD, webs()));
            Pods honoring = web("p").spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "", "Honor"));
            assertThat(answers(plugin(cluster), ignoring.build(), cluster, "a1"))
                    .containsExactly(SKEWED);
            assertThat(answers(plugin(cluster), honoring.build(), cluster, "a1"))
                    .containsExactly(OK);
            assertThat(answers(plugin(cluster), honoring.toleratesAll("gpu").build(), cluster, "a1"))
                    .containsExactly(SKEWED);
        }

        @Test
        void readsLabelKeysAndNumbersAsFeaturesHaveIt() {
            Node tainted = Nodes.named("t")
                    .label("rack", "t")
                    .taint("size", "5", Taint.NO_SCHEDULE)
                    .build();
            ClusterSketch cluster = ClusterSketch.of(A1, tainted)
                    .with(web("x").label("hash", "1").on("a1").build());
            Pod pod = web("p").label("hash", "2")
                    .toleration(new Toleration("size", "Gt", "4", ""))
                    .spread(spread(1, "rack", HARD, webs(), OptionalInt.empty(), "", "Honor", "hash"))
                    .build();
            String keys = FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD;
            String merge = FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE;
            String numbers = FeatureGates.TAINT_TOLERATION_COMPARISON_OPERATORS;
            assertThat(answers(gated(cluster, Map.of()), pod, cluster, "a1")).containsExactly(OK);
            assertThat(answers(gated(cluster, Map.of(numbers, true)), pod, cluster, "a1"))
                    .as("another pod")
                    .containsExactly(OK);
            assertThat(answers(gated(cluster, Map.of(keys, false, merge, false)), pod, cluster, "a1"))
                    .as("a like pod, but in the only rack")
                    .containsExactly(OK);
            assertThat(answers(
                            gated(cluster, Map.of(keys, false, merge, false, numbers, true)), pod, cluster, "a1", "t"))
                    .as("a like pod, and an empty rack")
                    .containsExactly(SKEWED, OK);
        }

        private static PodTopologySpread gated(ClusterSketch cluster, Map<String, Boolean> features) {
            return plugin(TestHandle.of(cluster).with(FeatureGates.of(features)), PodTopologySpread.Args.DEFAULTS);
        }

        @Test
        void failsIfASelectorIsNotValid() {
            LabelSelector bad =
                    new LabelSelector(Map.of(), List.of(new LabelSelector.Requirement("app", "Like", List.of())));
            Pod pod = web("p").spread(spread(1, "rack", HARD, Optional.of(bad))).build();
            ClusterSketch cluster = ClusterSketch.of(A1);
            assertThatThrownBy(() -> plugin(cluster).preFilter(new CycleState(), pod, cluster))
                    .hasMessage(
                            "get constraints from pod: obtaining pod's hard topology spread constraints: \"Like\" is"
                                    + " not a valid label selector operator");
        }

        private static List<Status> answers(PodTopologySpread plugin, Pod pod, ClusterSketch cluster, String... nodes) {
            CycleState state = new CycleState();
            assertThat(plugin.preFilter(state, pod, cluster).status()).isEqualTo(OK);
            List<Status> answers = new ArrayList<>();
            for (String node : nodes) {
                answers.add(plugin.filter(state, pod, cluster.nodeInfo(node)));
            }
            return answers;
        }
    }

    @Nested
    class Drafts {
        private final Pod pod = web("p").spread(spread(1, "rack", HARD, webs())).build();

        @Test
        void theLeastDomainMayFillUp() {
            ClusterSketch cluster =
                    ClusterSketch.of(A1, A2, B1).with(web("x").on("a1").build());
            PodTopologySpread plugin = plugin(cluster);
            CycleState state = new CycleState();
            plugin.preFilter(state, pod, cluster);
            NodeDraft draft = TestHandle.of(cluster).using(plugin).draft(state, pod, cluster.nodeInfo("b1"));
            Pod first = web("n1").build();
            draft.add(first);
            assertThat(plugin.filter(draft.state(), pod, draft.node())).isEqualTo(OK);
            assertThat(plugin.filter(draft.state(), pod, cluster.nodeInfo("a1")))
                    .isEqualTo(OK);
            draft.add(web("n2").build());
            assertThat(plugin.filter(draft.state(), pod, draft.node())).isEqualTo(SKEWED);
            draft.remove(first);
            assertThat(plugin.filter(draft.state(), pod, draft.node())).isEqualTo(OK);
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("a1"))).isEqualTo(SKEWED);
        }

        @Test
        void countsWhatThePassOverTheClusterLeavesOut() {
            Pod going = web("x").deleting(Instant.EPOCH).on("a1").build();
            ClusterSketch cluster = ClusterSketch.of(A1, B1).with(going);
            PodTopologySpread plugin = plugin(cluster);
            CycleState state = new CycleState();
            plugin.preFilter(state, pod, cluster);
            // As upstream: it was not counted, but is taken off.
            plugin.removePod(state, pod, going, cluster.nodeInfo("a1"));
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("b1"))).isEqualTo(SKEWED);
        }

        @Test
        void changesOnSeveralNodesAddUp() {
            ClusterSketch cluster = ClusterSketch.of(A1, B1);
            PodTopologySpread plugin = plugin(cluster);
            CycleState state = new CycleState();
            plugin.preFilter(state, pod, cluster);
            plugin.addPod(state, pod, web("x").build(), cluster.nodeInfo("a1"));
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("a1"))).isEqualTo(SKEWED);
            plugin.addPod(state, pod, web("y").build(), cluster.nodeInfo("b1"));
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("a1"))).isEqualTo(OK);
            plugin.addPod(state, pod, web("z").namespace("shop").build(), cluster.nodeInfo("a1"));
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("a1"))).isEqualTo(OK);
        }
    }

    @Nested
    class Score {
        @Test
        void prefersDomainsWithFewPods() {
            Pod pod = web("p").spread(spread(1, "rack", SOFT, webs())).build();
            assertThat(scores(pod, List.of(web("x").on("a1"), web("y").on("a2"), web("z").on("b1"))))
                    .isEqualTo("[33, 33, 100, 0]");
        }

        @Test
        void countsAHostsOwnPods() {
            Pod pod = web("p").spread(spread(1, HOST, SOFT, webs())).build();
            assertThat(scores(pod, List.of(web("x").on("a1"), web("y").on("a1"), web("z").on("b1"))))
                    .isEqualTo("[0, 100, 33, 0]");
        }

        @Test
        void isIndifferentWhereNothingCounts() {
            Pod pod = web("p").spread(spread(1, "rack", SOFT, webs())).build();
            assertThat(scores(pod, List.of())).isEqualTo("[100, 100, 100, 0]");
        }

        @Test
        void skipsPodsWithoutConstraints() {
            assertThat(scores(web("p").build(), List.of())).isEqualTo("skipped");
            assertThat(scores(web("p").spread(spread(1, "rack", HARD, webs())).build(), List.of()))
                    .isEqualTo("skipped");
        }

        private static String scores(Pod pod, List<Pods> others) {
            ClusterSketch cluster = ClusterSketch.of(A1, A2, B1, NOWHERE).with(built(others));
            return PodTopologySpreadTest.scores(plugin(cluster), pod, cluster);
        }
    }

    private static String scores(PodTopologySpread plugin, Pod pod, ClusterSketch cluster) {
        CycleState state = new CycleState();
        List<NodeInfo> nodes = cluster.nodes();
        if (plugin.preScore(state, pod, nodes).isSkip()) {
            return "skipped";
        }
        long[] raw =
                nodes.stream().mapToLong(node -> plugin.score(state, pod, node)).toArray();
        return Arrays.toString(
                plugin.normalize(state, pod, NodeScores.of(nodes, raw)).toArray());
    }

    @Nested
    class Defaults {
        private final ClusterSketch cluster = ClusterSketch.of(A1, A2, B1, NOWHERE)
                .with(
                        web("x").on("a1").build(),
                        web("y").label("tier", "front").on("a1").build(),
                        web("z").on("b1").build());

        private static ObjectMeta meta(String name) {
            return ObjectMeta.named(name).namespace("default").build();
        }

        private TestHandle handle() {
            return TestHandle.of(cluster);
        }

        @Test
        void ofTheSystemSpreadPodsOfAServiceOverHostsWithoutZones() {
            TestHandle handle = handle().with(ObjectKind.SERVICE, new Service(meta("s"), Map.of("app", "web")))
                    .with(ObjectKind.SERVICE, new Service(meta("t"), Map.of("app", "db")));
            PodTopologySpread plugin = plugin(handle, PodTopologySpread.Args.DEFAULTS);
            assertThat(plugin.preFilter(new CycleState(), web("p").build(), cluster)
                            .status())
                    .isEqualTo(Status.skip());
            assertThat(scores(plugin, web("p").build(), cluster)).isEqualTo("[0, 66, 33, 100]");
        }

        @Test
        void doNotApplyToPodsThatNothingSelects() {
            assertThat(scores(plugin(handle(), PodTopologySpread.Args.DEFAULTS), web("p").build(), cluster))
                    .isEqualTo("skipped");
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
                    "with a constraint of its own",
                    web("p").controlledBy("apps/v1", "StatefulSet", "webs").spread(spread(1, "rack", SOFT, webs())),
                    Status.skip()),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void followFromTheController(Case c) {
            TestHandle handle = handle().with(
                            ObjectKind.REPLICA_SET, new ReplicaSet(meta("front"), Optional.of(labels("tier", "front"))))
                    .with(ObjectKind.STATEFUL_SET, new StatefulSet(meta("webs"), webs()))
                    .with(
                            ObjectKind.REPLICATION_CONTROLLER,
                            new ReplicationController(meta("webs"), Map.of("app", "web")));
            PodTopologySpread plugin = plugin(handle, LISTED);
            CycleState state = new CycleState();
            Pod pod = c.pod.build();
            Status prepared = plugin.preFilter(state, pod, cluster).status();
            assertThat(prepared.isSkip() ? prepared : plugin.filter(state, pod, cluster.nodeInfo("a1")))
                    .isEqualTo(c.a1);
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

        record Case(String name, Pods pod, ObjectChange<Object> change, Hint hint) {
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
            new Case("a pod without a node comes", POD, ObjectChange.added(web("x").build()), Hint.SKIP),
            new Case("a pod that counts goes", POD, ObjectChange.deleted(WEB), Hint.QUEUE),
            new Case("a pod counts no longer", POD, ObjectChange.updated(WEB, OTHER), Hint.QUEUE),
            new Case("a pod counts as before", POD, ObjectChange.updated(WEB, WEB), Hint.SKIP),
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
            EventResource resource = c.change.latest() instanceof Node ? EventResource.NODE : EventResource.POD;
            for (EventRegistration registration : plugin(ClusterSketch.empty()).eventsToRegister()) {
                if (registration.event().resource().equals(resource)) {
                    assertThat(registration.hint().hint(c.pod.build(), c.change))
                            .isEqualTo(c.hint);
                }
            }
        }
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
