// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.testkit.Selectors.labels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.NodeDraft;
import org.moorage.api.plugin.Problems;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class InterPodAffinityTest {
    private static final Status NOT_NEAR = Status.unresolvable("node(s) didn't match pod affinity rules");
    private static final Status TOO_NEAR = Status.unschedulable("node(s) didn't match pod anti-affinity rules");
    private static final Status NOT_WELCOME =
            Status.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

    private static final Node A1 = node("a1", "a");
    private static final Node A2 = node("a2", "a");
    private static final Node B1 = node("b1", "b");
    private static final Node NOWHERE = Nodes.named("nowhere").build();

    private static Node node(String name, String rack) {
        return Nodes.named(name).label("rack", rack).label("host", name).build();
    }

    private static Pods web() {
        return Pods.named("p").label("app", "web");
    }

    private static Pods other(String name) {
        return Pods.named(name).label("app", "db");
    }

    private static PodAffinityTerm term(
            String app, List<String> namespaces, Optional<LabelSelector> namespaceSelector, String key) {
        return new PodAffinityTerm(Optional.of(labels("app", app)), namespaces, namespaceSelector, key);
    }

    private static TestHandle handle(Snapshot cluster) {
        return TestHandle.of(cluster)
                .with(ObjectKind.NAMESPACE, namespace("default", Map.of("team", "x")))
                .with(ObjectKind.NAMESPACE, namespace("shop", Map.of("team", "y")));
    }

    private static Namespace namespace(String name, Map<String, String> labels) {
        return new Namespace(ObjectMeta.named(name).labels(labels).build());
    }

    private static InterPodAffinity plugin(Snapshot cluster, InterPodAffinity.Args args) {
        return new InterPodAffinity.Factory().create(args, handle(cluster));
    }

    @Nested
    class Filter {
        private static final LabelSelector TEAM_Y = labels("team", "y");
        private static final LabelSelector NOT_TEAM_X =
                new LabelSelector(Map.of(), List.of(new LabelSelector.Requirement("team", "NotIn", List.of("x"))));

        record Case(String name, Pods pod, List<Pods> others, Status a1, Status a2, Status b1, Status nowhere) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final Status OK = Status.success();

        static final Case[] CASES = {
            new Case(
                    "near to a pod",
                    web().nearTo("rack", "app", "db"),
                    List.of(other("d").on("a1")),
                    OK,
                    OK,
                    NOT_NEAR,
                    NOT_NEAR),
            new Case(
                    "near to one pod that all terms select",
                    web().nearTo("rack", "app", "db").nearTo("host", "tier", "back"),
                    List.of(
                            other("d").on("a1"),
                            other("e").label("tier", "back").on("b1")),
                    NOT_NEAR,
                    NOT_NEAR,
                    OK,
                    NOT_NEAR),
            new Case(
                    "the first of pods near to each other goes where the keys are",
                    web().nearTo("rack", "app", "web"),
                    List.of(other("d").on("a1")),
                    OK,
                    OK,
                    OK,
                    NOT_NEAR),
            new Case(
                    "a pod that is not near to itself is not the first",
                    web().nearTo("rack", "app", "cache"),
                    List.of(),
                    NOT_NEAR,
                    NOT_NEAR,
                    NOT_NEAR,
                    NOT_NEAR),
            new Case(
                    "apart from a pod",
                    web().apartFrom("rack", "app", "db"),
                    List.of(other("d").on("a1")),
                    TOO_NEAR,
                    TOO_NEAR,
                    OK,
                    OK),
            new Case(
                    "apart from pods that one of the terms selects",
                    web().apartFrom("host", "app", "db").apartFrom("rack", "app", "cache"),
                    List.of(
                            other("d").on("a1"),
                            Pods.named("c").label("app", "cache").on("b1")),
                    TOO_NEAR,
                    OK,
                    TOO_NEAR,
                    OK),
            new Case(
                    "a pod there wants to be apart",
                    web(),
                    List.of(other("d").apartFrom("rack", "app", "web").on("a2")),
                    NOT_WELCOME,
                    NOT_WELCOME,
                    OK,
                    OK),
            new Case(
                    "pods of other namespaces do not count",
                    web().apartFrom("rack", "app", "db"),
                    List.of(other("d").namespace("shop").on("a1")),
                    OK,
                    OK,
                    OK,
                    OK),
            new Case(
                    "unless the term names them",
                    web().podAntiAffinity(new PodAffinity(
                            List.of(term("db", List.of("shop"), Optional.empty(), "rack")), List.of())),
                    List.of(other("d").namespace("shop").on("a1"), other("e").on("b1")),
                    TOO_NEAR,
                    TOO_NEAR,
                    OK,
                    OK),
            new Case(
                    "or selects them",
                    web().podAntiAffinity(new PodAffinity(
                            List.of(term("db", List.of(), Optional.of(TEAM_Y), "rack")), List.of())),
                    List.of(other("d").namespace("shop").on("a1"), other("e").on("b1")),
                    TOO_NEAR,
                    TOO_NEAR,
                    OK,
                    OK),
            new Case(
                    "a selector that only excludes labels selects all namespaces",
                    web().podAntiAffinity(new PodAffinity(
                            List.of(term("db", List.of(), Optional.of(NOT_TEAM_X), "rack")), List.of())),
                    List.of(other("e").on("b1")),
                    OK,
                    OK,
                    TOO_NEAR,
                    OK),
            new Case(
                    "that of a pod there is asked about the labels of the pod's namespace",
                    web().namespace("shop"),
                    List.of(
                            other("d")
                                    .podAntiAffinity(new PodAffinity(
                                            List.of(term("web", List.of(), Optional.of(TEAM_Y), "rack")), List.of()))
                                    .on("a1"),
                            other("e")
                                    .podAntiAffinity(new PodAffinity(
                                            List.of(term("web", List.of(), Optional.of(labels("team", "x")), "rack")),
                                            List.of()))
                                    .on("b1")),
                    NOT_WELCOME,
                    NOT_WELCOME,
                    OK,
                    OK),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            ClusterSketch cluster = ClusterSketch.of(A1, A2, B1, NOWHERE)
                    .with(c.others.stream().map(Pods::build).toArray(Pod[]::new));
            InterPodAffinity plugin = plugin(cluster, InterPodAffinity.Args.DEFAULTS);
            CycleState state = new CycleState();
            Pod pod = c.pod.build();
            List<Status> answers = new ArrayList<>();
            if (plugin.preFilter(state, pod, cluster).status().isSkip()) {
                answers.addAll(List.of(OK, OK, OK, OK));
            } else {
                cluster.nodes().forEach(node -> answers.add(plugin.filter(state, pod, node)));
            }
            assertThat(answers).containsExactly(c.a1, c.a2, c.b1, c.nowhere);
        }

        @Test
        void skipsPodsThatNothingIsAbout() {
            ClusterSketch cluster =
                    ClusterSketch.of(A1).with(other("d").on("a1").build());
            assertThat(plugin(cluster, InterPodAffinity.Args.DEFAULTS)
                            .preFilter(new CycleState(), web().build(), cluster)
                            .status())
                    .isEqualTo(Status.skip());
        }

        @Test
        void tellsOfSelectorsThatAreNotValid() {
            LabelSelector bad =
                    new LabelSelector(Map.of(), List.of(new LabelSelector.Requirement("app", "Like", List.of())));
            PodAffinityTerm term = new PodAffinityTerm(Optional.of(bad), List.of(), Optional.empty(), "rack");
            Pod pod = web().podAffinity(new PodAffinity(List.of(term), List.of()))
                    .podAntiAffinity(new PodAffinity(List.of(), List.of(new PodAffinityTerm.Weighted(1, term))))
                    .build();
            assertThat(plugin(ClusterSketch.of(A1), InterPodAffinity.Args.DEFAULTS)
                            .preFilter(new CycleState(), pod, ClusterSketch.of(A1))
                            .status())
                    .isEqualTo(Status.unresolvable("parsing pod: [requiredAffinityTerms: \"Like\" is not a valid label"
                            + " selector operator, preferredAntiAffinityTerms: \"Like\" is not a valid label selector"
                            + " operator]"));
        }
    }

    @Nested
    class Drafts {
        @Test
        void aPodThatComesAndGoesLeavesNoTrace() {
            Pod db = other("d").on("a1").build();
            ClusterSketch cluster = ClusterSketch.of(A1, A2, B1).with(db);
            Pod pod = web().apartFrom("rack", "app", "db")
                    .nearTo("rack", "app", "web")
                    .build();
            InterPodAffinity plugin = plugin(cluster, InterPodAffinity.Args.DEFAULTS);
            TestHandle handle = TestHandle.of(cluster).using(plugin);
            CycleState state = new CycleState();
            plugin.preFilter(state, pod, cluster);
            NodeDraft draft = handle.draft(state, pod, cluster.nodeInfo("a1"));

            assertThat(plugin.filter(draft.state(), pod, draft.node())).isEqualTo(TOO_NEAR);
            draft.remove(db);
            assertThat(plugin.filter(draft.state(), pod, draft.node())).isEqualTo(Status.success());
            Pod unfriendly =
                    other("u").label("app", "x").apartFrom("host", "app", "web").build();
            draft.add(unfriendly);
            assertThat(plugin.filter(draft.state(), pod, draft.node())).isEqualTo(NOT_WELCOME);
            assertThat(plugin.filter(draft.state(), pod, cluster.nodeInfo("a2")))
                    .isEqualTo(Status.success());
            draft.remove(unfriendly);
            draft.add(Pods.named("w").label("app", "web").build());
            assertThat(plugin.filter(draft.state(), pod, cluster.nodeInfo("a2")))
                    .isEqualTo(Status.success());
            assertThat(plugin.filter(draft.state(), pod, cluster.nodeInfo("b1")))
                    .isEqualTo(NOT_NEAR);
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("a1"))).isEqualTo(TOO_NEAR);
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("b1"))).isEqualTo(Status.success());
        }

        @Test
        void changesOnSeveralNodesAddUp() {
            ClusterSketch cluster = ClusterSketch.of(A1, B1);
            Pod pod = web().apartFrom("rack", "app", "db").build();
            InterPodAffinity plugin = plugin(cluster, InterPodAffinity.Args.DEFAULTS);
            CycleState state = new CycleState();
            plugin.preFilter(state, pod, cluster);
            plugin.addPod(state, pod, other("d").build(), cluster.nodeInfo("a1"));
            plugin.addPod(state, pod, other("e").build(), cluster.nodeInfo("b1"));
            plugin.removePod(state, pod, other("d").build(), cluster.nodeInfo("a1"));
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("a1"))).isEqualTo(Status.success());
            assertThat(plugin.filter(state, pod, cluster.nodeInfo("b1"))).isEqualTo(TOO_NEAR);
        }
    }

    @Nested
    class Score {
        private static PodAffinity wish(int weight, String app, String key) {
            return new PodAffinity(
                    List.of(),
                    List.of(new PodAffinityTerm.Weighted(weight, term(app, List.of(), Optional.empty(), key))));
        }

        record Case(String name, InterPodAffinity.Args args, Pods pod, List<Pods> others, String scores) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final InterPodAffinity.Args DEFAULTS = InterPodAffinity.Args.DEFAULTS;

        static final Case[] CASES = {
            new Case(
                    "nobody wishes anything",
                    DEFAULTS,
                    web(),
                    List.of(other("d").on("a1")),
                    "skipped"),
            new Case(
                    "a wish to be near",
                    DEFAULTS,
                    web().podAffinity(wish(5, "db", "rack")),
                    List.of(other("d").on("a1")),
                    "[100, 100, 0, 0]"),
            new Case(
                    "a wish to be apart",
                    DEFAULTS,
                    web().podAntiAffinity(wish(5, "db", "host")),
                    List.of(other("d").on("a1"), other("e").on("a1"), other("f").on("b1")),
                    "[0, 100, 50, 100]"),
            new Case(
                    "wishes that even out",
                    DEFAULTS,
                    web().podAffinity(wish(5, "db", "rack")).podAntiAffinity(wish(5, "db", "rack")),
                    List.of(other("d").on("a1")),
                    "[0, 0, 0, 0]"),
            new Case(
                    "wishes that are about no pod",
                    DEFAULTS,
                    web().podAffinity(wish(5, "cache", "rack")),
                    List.of(other("d").on("a1")),
                    "skipped"),
            new Case(
                    "a wish of a pod there",
                    DEFAULTS,
                    web(),
                    List.of(other("d").podAffinity(wish(7, "web", "rack")).on("b1")),
                    "[0, 0, 100, 0]"),
            new Case(
                    "a wish of a pod there, ignored",
                    new InterPodAffinity.Args(1, true),
                    web(),
                    List.of(other("d").podAffinity(wish(7, "web", "rack")).on("b1")),
                    "skipped"),
            new Case(
                    "a wish of a pod there, not ignored if the pod has one",
                    new InterPodAffinity.Args(1, true),
                    web().podAffinity(wish(1, "cache", "rack")),
                    List.of(other("d").podAffinity(wish(7, "web", "rack")).on("b1")),
                    "[0, 0, 100, 0]"),
            new Case(
                    "what pods there must have",
                    new InterPodAffinity.Args(10, false),
                    web(),
                    List.of(
                            other("d").nearTo("rack", "app", "web").on("b1"),
                            other("e").podAffinity(wish(5, "web", "host")).on("a2")),
                    "[0, 50, 100, 0]"),
            new Case(
                    "what pods there must have, if that does not count",
                    new InterPodAffinity.Args(0, false),
                    web(),
                    List.of(other("d").nearTo("rack", "app", "web").on("b1")),
                    "skipped"),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void scores(Case c) {
            ClusterSketch cluster = ClusterSketch.of(A1, A2, B1, NOWHERE)
                    .with(c.others.stream().map(Pods::build).toArray(Pod[]::new));
            InterPodAffinity plugin = plugin(cluster, c.args);
            CycleState state = new CycleState();
            Pod pod = c.pod.build();
            List<NodeInfo> nodes = cluster.nodes();
            if (plugin.preScore(state, pod, nodes).isSkip()) {
                assertThat("skipped").isEqualTo(c.scores);
                return;
            }
            long[] raw = nodes.stream()
                    .mapToLong(node -> plugin.score(state, pod, node))
                    .toArray();
            assertThat(Arrays.toString(plugin.normalize(state, pod, NodeScores.of(nodes, raw))
                            .toArray()))
                    .isEqualTo(c.scores);
        }
    }

    @Nested
    class Events {
        private static final Pods NEAR = web().nearTo("rack", "app", "db");
        private static final Pods APART = web().apartFrom("rack", "app", "db");
        private static final Pod DB = other("d").on("a1").build();
        private static final Pod NO_DB =
                Pods.named("d").label("app", "x").on("a1").build();

        record Case(String name, Pods pod, ObjectChange<Object> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a pod to be near to comes", NEAR, ObjectChange.added(DB), Hint.QUEUE),
            new Case("another pod comes", NEAR, ObjectChange.added(NO_DB), Hint.SKIP),
            new Case(
                    "a pod without a node comes",
                    NEAR,
                    ObjectChange.added(other("d").build()),
                    Hint.SKIP),
            new Case(
                    "a nominated pod comes",
                    NEAR,
                    ObjectChange.added(other("d").nominatedTo("a1").build()),
                    Hint.QUEUE),
            new Case("a pod becomes one to be near to", NEAR, ObjectChange.updated(NO_DB, DB), Hint.QUEUE),
            new Case("a pod is no longer one to be near to", NEAR, ObjectChange.updated(DB, NO_DB), Hint.SKIP),
            new Case("a pod is no longer one to be apart from", APART, ObjectChange.updated(DB, NO_DB), Hint.QUEUE),
            new Case("a pod to be apart from goes", APART, ObjectChange.deleted(DB), Hint.QUEUE),
            new Case("a pod to be near to goes", NEAR, ObjectChange.deleted(DB), Hint.SKIP),
            new Case(
                    "a pod that is apart from this one goes",
                    NEAR,
                    ObjectChange.deleted(
                            other("d").apartFrom("rack", "app", "web").on("a1").build()),
                    Hint.QUEUE),
            new Case("the pod itself changes", NEAR, ObjectChange.updated(NEAR.build(), NEAR.build()), Hint.QUEUE),
            new Case("a node with the key comes", NEAR, ObjectChange.added(A1), Hint.QUEUE),
            new Case("a node without the key comes", NEAR, ObjectChange.added(NOWHERE), Hint.SKIP),
            new Case("a node without the key comes to be apart on", APART, ObjectChange.added(NOWHERE), Hint.QUEUE),
            new Case("a node gets the key", NEAR, ObjectChange.updated(NOWHERE, A1), Hint.QUEUE),
            new Case("a node gets the key to be apart in", APART, ObjectChange.updated(NOWHERE, A1), Hint.SKIP),
            new Case("a node loses the key", NEAR, ObjectChange.updated(A1, NOWHERE), Hint.SKIP),
            new Case("a node loses the key to be apart in", APART, ObjectChange.updated(A1, NOWHERE), Hint.QUEUE),
            new Case("a node moves", NEAR, ObjectChange.updated(A1, B1), Hint.QUEUE),
            new Case("a node stays", APART, ObjectChange.updated(A1, A2), Hint.SKIP),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hints(Case c) {
            EventResource resource = c.change.latest() instanceof Node ? EventResource.NODE : EventResource.POD;
            for (EventRegistration registration : plugin(ClusterSketch.empty(), InterPodAffinity.Args.DEFAULTS)
                    .eventsToRegister()) {
                if (registration.event().resource().equals(resource)) {
                    assertThat(registration.hint().hint(c.pod.build(), c.change))
                            .isEqualTo(c.hint);
                }
            }
        }
    }

    @Test
    void checksTheWeight() {
        Problems problems = Problems.collector();
        new InterPodAffinity.Args(101, false).validate(problems);
        new InterPodAffinity.Args(-1, false).validate(problems);
        new InterPodAffinity.Args(100, false).validate(problems);
        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly(
                        "hardPodAffinityWeight: 101 (expected: 0 to 100)",
                        "hardPodAffinityWeight: -1 (expected: 0 to 100)");
    }
}
