// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.testkit.Selectors.labels;

import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;

class InterPodAffinityTest {
    private static final Status NOT_NEAR = Status.unresolvable("node(s) didn't match pod affinity rules");
    private static final Status TOO_NEAR = Status.unschedulable("node(s) didn't match pod anti-affinity rules");
    private static final Status NOT_WELCOME =
            Status.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

    private static final PluginTester PLUGIN = plugin(InterPodAffinity.Args.DEFAULTS);

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

    private static Namespace namespace(String name, Map<String, String> labels) {
        return new Namespace(ObjectMeta.named(name).labels(labels).build());
    }

    private static PluginTester plugin(InterPodAffinity.Args args) {
        return PluginTester.of(InterPodAffinity.FACTORY, args)
                .cluster(namespace("default", Map.of("team", "x")), namespace("shop", Map.of("team", "y")));
    }

    private static List<Pod> built(List<Pods> pods) {
        return pods.stream().map(Pods::build).toList();
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
                    web().requiresPodAffinity("rack", "app", "db"),
                    List.of(other("d").on("a1")),
                    OK,
                    OK,
                    NOT_NEAR,
                    NOT_NEAR),
            new Case(
                    "near to one pod that all terms select",
                    web().requiresPodAffinity("rack", "app", "db").requiresPodAffinity("host", "tier", "back"),
                    List.of(
                            other("d").on("a1"),
                            other("e").label("tier", "back").on("b1")),
                    NOT_NEAR,
                    NOT_NEAR,
                    OK,
                    NOT_NEAR),
            new Case(
                    "the first of pods near to each other goes where the keys are",
                    web().requiresPodAffinity("rack", "app", "web"),
                    List.of(other("d").on("a1")),
                    OK,
                    OK,
                    OK,
                    NOT_NEAR),
            new Case(
                    "a pod that is not near to itself is not the first",
                    web().requiresPodAffinity("rack", "app", "cache"),
                    List.of(),
                    NOT_NEAR,
                    NOT_NEAR,
                    NOT_NEAR,
                    NOT_NEAR),
            new Case(
                    "apart from a pod",
                    web().requiresPodAntiAffinity("rack", "app", "db"),
                    List.of(other("d").on("a1")),
                    TOO_NEAR,
                    TOO_NEAR,
                    OK,
                    OK),
            new Case(
                    "apart from pods that one of the terms selects",
                    web().requiresPodAntiAffinity("host", "app", "db").requiresPodAntiAffinity("rack", "app", "cache"),
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
                    List.of(other("d")
                            .requiresPodAntiAffinity("rack", "app", "web")
                            .on("a2")),
                    NOT_WELCOME,
                    NOT_WELCOME,
                    OK,
                    OK),
            new Case(
                    "pods of other namespaces do not count",
                    web().requiresPodAntiAffinity("rack", "app", "db"),
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
                    "a selector that only excludes labels selects the namespaces without them",
                    web().podAntiAffinity(new PodAffinity(
                            List.of(term("db", List.of(), Optional.of(NOT_TEAM_X), "rack")), List.of())),
                    List.of(other("d").namespace("shop").on("a1"), other("e").on("b1")),
                    TOO_NEAR,
                    TOO_NEAR,
                    OK,
                    OK),
            new Case(
                    "an empty selector selects all namespaces",
                    web().podAntiAffinity(new PodAffinity(
                            List.of(term("db", List.of(), Optional.of(new LabelSelector(Map.of(), List.of())), "rack")),
                            List.of())),
                    List.of(other("d").namespace("shop").on("a1"), other("e").on("b1")),
                    TOO_NEAR,
                    TOO_NEAR,
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
            PLUGIN.cluster(A1, A2, B1, NOWHERE)
                    .cluster(built(c.others))
                    .pod(c.pod.build())
                    .filters("a1", c.a1)
                    .filters("a2", c.a2)
                    .filters("b1", c.b1)
                    .filters("nowhere", c.nowhere);
        }

        @Test
        void skipsPodsThatNothingIsAbout() {
            PLUGIN.cluster(A1, other("d").on("a1").build()).pod(web().build()).skipsFilter();
        }

        @Test
        void reportsInvalidSelectors() {
            LabelSelector bad =
                    new LabelSelector(Map.of(), List.of(new LabelSelector.Requirement("app", "Like", List.of())));
            PodAffinityTerm term = new PodAffinityTerm(Optional.of(bad), List.of(), Optional.empty(), "rack");
            Pod pod = web().podAffinity(new PodAffinity(List.of(term), List.of()))
                    .podAntiAffinity(new PodAffinity(List.of(), List.of(new PodAffinityTerm.Weighted(1, term))))
                    .build();
            PLUGIN.cluster(A1)
                    .pod(pod)
                    .rejectsPod(Status.unresolvable("parsing pod: [requiredAffinityTerms: \"Like\" is not a valid label"
                            + " selector operator, preferredAntiAffinityTerms: \"Like\" is not a valid label selector"
                            + " operator]"));
        }
    }

    @Nested
    class HostNames {
        private static final PluginTester BY_NODE = plugin(InterPodAffinity.Args.DEFAULTS)
                .features(FeatureGates.DEFAULTS.with(FeatureGates.INTER_POD_AFFINITY_HOSTNAME_FAST_PATH, true));
        private static final String HOSTNAME = "kubernetes.io/hostname";
        private static final Node FIRST =
                Nodes.named("first").label(HOSTNAME, "same").label("rack", "a").build();
        private static final Node SECOND =
                Nodes.named("second").label(HOSTNAME, "same").label("rack", "a").build();
        private static final Status OK = Status.success();

        record Case(String name, Pods pod, Pods there, Status first, Status second, Status secondByName) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case(
                    "apart from a pod",
                    web().requiresPodAntiAffinity(HOSTNAME, "app", "db"),
                    other("d"),
                    TOO_NEAR,
                    OK,
                    TOO_NEAR),
            new Case(
                    "apart for a pod",
                    web(),
                    other("d").requiresPodAntiAffinity(HOSTNAME, "app", "web"),
                    NOT_WELCOME,
                    OK,
                    NOT_WELCOME),
            new Case("near to a pod", web().requiresPodAffinity(HOSTNAME, "app", "db"), other("d"), OK, NOT_NEAR, OK),
            new Case(
                    "near to a pod on a host and in a rack",
                    web().requiresPodAffinity(HOSTNAME, "app", "db").requiresPodAffinity("rack", "app", "db"),
                    other("d"),
                    OK,
                    OK,
                    OK),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void areThoseOfOneNodeEachOnTheFastPath(Case c) {
            Pod there = c.there.on("first").build();
            BY_NODE.cluster(FIRST, SECOND, there)
                    .pod(c.pod.build())
                    .filters("first", c.first)
                    .filters("second", c.second);
            PLUGIN.cluster(FIRST, SECOND, there)
                    .pod(c.pod.build())
                    .filters("first", c.first)
                    .filters("second", c.secondByName);
        }

        @Test
        void doNotMatterForWhoIsTheFirstOfItsGroupOnTheFastPath() {
            Pod pod = web().requiresPodAffinity(HOSTNAME, "app", "web").build();
            Pod there = Pods.named("w").label("app", "web").on("nowhere").build();
            PLUGIN.cluster(FIRST, NOWHERE, there).pod(pod).filters("first", OK);
            PodTester byNode = BY_NODE.cluster(FIRST, NOWHERE, there).pod(pod).filters("first", NOT_NEAR);
            byNode.withPodRemoved("nowhere", there).accepts("first");
        }
    }

    @Nested
    class Drafts {
        @Test
        void aPodThatComesAndGoesLeavesNoTrace() {
            Pod db = other("d").on("a1").build();
            Pod unfriendly = other("u")
                    .label("app", "x")
                    .requiresPodAntiAffinity("host", "app", "web")
                    .build();
            Pod pod = web().requiresPodAntiAffinity("rack", "app", "db")
                    .requiresPodAffinity("rack", "app", "web")
                    .build();
            PodTester asItIs = PLUGIN.cluster(A1, A2, B1, db)
                    .pod(pod)
                    .rejects("a1", TOO_NEAR)
                    .accepts("b1");

            PodTester without = asItIs.withPodRemoved("a1", db).accepts("a1");
            PodTester withUnfriendly = without.withPodAdded("a1", unfriendly)
                    .rejects("a1", NOT_WELCOME)
                    .accepts("a2");
            withUnfriendly
                    .withPodRemoved("a1", unfriendly)
                    .withPodAdded("a1", Pods.named("w").label("app", "web").build())
                    .accepts("a2")
                    .rejects("b1", NOT_NEAR);
        }

        @Test
        void changesOnSeveralNodesAddUp() {
            PLUGIN.cluster(A1, B1)
                    .pod(web().requiresPodAntiAffinity("rack", "app", "db").build())
                    .withPodAdded("a1", other("d").build())
                    .withPodAdded("b1", other("e").build())
                    .withPodRemoved("a1", other("d").build())
                    .accepts("a1")
                    .rejects("b1", TOO_NEAR);
        }
    }

    @Nested
    class Score {
        private static PodAffinity preferred(int weight, String app, String key) {
            return new PodAffinity(
                    List.of(),
                    List.of(new PodAffinityTerm.Weighted(weight, term(app, List.of(), Optional.empty(), key))));
        }

        record Case(String name, InterPodAffinity.Args args, Pods pod, List<Pods> others, long... scores) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final InterPodAffinity.Args DEFAULTS = InterPodAffinity.Args.DEFAULTS;

        static final Case[] CASES = {
            new Case(
                    "preferred podAffinity",
                    DEFAULTS,
                    web().podAffinity(preferred(5, "db", "rack")),
                    List.of(other("d").on("a1")),
                    100,
                    100,
                    0,
                    0),
            new Case(
                    "preferred podAntiAffinity",
                    DEFAULTS,
                    web().podAntiAffinity(preferred(5, "db", "host")),
                    List.of(other("d").on("a1"), other("e").on("a1"), other("f").on("b1")),
                    0,
                    100,
                    50,
                    100),
            new Case(
                    "preferred terms that cancel each other out",
                    DEFAULTS,
                    web().podAffinity(preferred(5, "db", "rack")).podAntiAffinity(preferred(5, "db", "rack")),
                    List.of(other("d").on("a1")),
                    0,
                    0,
                    0,
                    0),
            new Case(
                    "a preferred term of an existing pod",
                    DEFAULTS,
                    web(),
                    List.of(other("d").podAffinity(preferred(7, "web", "rack")).on("b1")),
                    0,
                    0,
                    100,
                    0),
            new Case(
                    "a preferred term of an existing pod, not ignored if the pod has one",
                    new InterPodAffinity.Args(1, true),
                    web().podAffinity(preferred(1, "cache", "rack")),
                    List.of(other("d").podAffinity(preferred(7, "web", "rack")).on("b1")),
                    0,
                    0,
                    100,
                    0),
            new Case(
                    "a required term of an existing pod",
                    new InterPodAffinity.Args(10, false),
                    web(),
                    List.of(
                            other("d").requiresPodAffinity("rack", "app", "web").on("b1"),
                            other("e").podAffinity(preferred(5, "web", "host")).on("a2")),
                    0,
                    50,
                    100,
                    0),
        };

        static final Case[] SKIPPED = {
            new Case(
                    "no pod has preferred terms",
                    DEFAULTS,
                    web(),
                    List.of(other("d").on("a1"))),
            new Case(
                    "a preferred term that matches no pod",
                    DEFAULTS,
                    web().podAffinity(preferred(5, "cache", "rack")),
                    List.of(other("d").on("a1"))),
            new Case(
                    "a preferred term of an existing pod, ignored",
                    new InterPodAffinity.Args(1, true),
                    web(),
                    List.of(other("d").podAffinity(preferred(7, "web", "rack")).on("b1"))),
            new Case(
                    "a required term of an existing pod, with hardPodAffinityWeight 0",
                    new InterPodAffinity.Args(0, false),
                    web(),
                    List.of(other("d").requiresPodAffinity("rack", "app", "web").on("b1"))),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void scores(Case c) {
            PodTester tester = tester(c);
            List<String> nodes = List.of("a1", "a2", "b1", "nowhere");
            for (int i = 0; i < c.scores.length; i++) {
                tester.scores(nodes.get(i), c.scores[i]);
            }
        }

        @ParameterizedTest
        @FieldSource("SKIPPED")
        void skips(Case c) {
            tester(c).skipsScore();
        }

        // Filter is disabled: scores are also checked where the pod may not go.
        private static PodTester tester(Case c) {
            return plugin(c.args)
                    .disabledAt(ExtensionPoint.FILTER)
                    .cluster(A1, A2, B1, NOWHERE)
                    .cluster(built(c.others))
                    .pod(c.pod.build());
        }
    }

    @Nested
    class Events {
        private static final Pods NEAR = web().requiresPodAffinity("rack", "app", "db");
        private static final Pods APART = web().requiresPodAntiAffinity("rack", "app", "db");
        private static final Pods APART_FROM_TWO =
                web().requiresPodAntiAffinity("rack", "app", "db").requiresPodAntiAffinity("host", "app", "cache");
        private static final Pod DB = other("d").on("a1").build();
        private static final Pod NO_DB =
                Pods.named("d").label("app", "x").on("a1").build();

        record Case(String name, Pods pod, ObjectChange<? extends ClusterObject> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a pod to be near to comes", NEAR, ObjectChange.added(DB), Hint.QUEUE),
            new Case("another pod comes", NEAR, ObjectChange.added(NO_DB), Hint.SKIP),
            new Case("a pod becomes one to be near to", NEAR, ObjectChange.updated(NO_DB, DB), Hint.QUEUE),
            new Case("a pod is no longer one to be near to", NEAR, ObjectChange.updated(DB, NO_DB), Hint.SKIP),
            new Case("a pod is no longer one to be apart from", APART, ObjectChange.updated(DB, NO_DB), Hint.QUEUE),
            new Case("a pod to be apart from goes", APART, ObjectChange.deleted(DB), Hint.QUEUE),
            new Case("one of two to be apart from goes", APART_FROM_TWO, ObjectChange.deleted(DB), Hint.QUEUE),
            new Case(
                    "a pod is no longer one of two to be apart from",
                    APART_FROM_TWO,
                    ObjectChange.updated(DB, NO_DB),
                    Hint.QUEUE),
            new Case("a pod to be near to goes", NEAR, ObjectChange.deleted(DB), Hint.SKIP),
            new Case(
                    "a pod that is apart from this one goes",
                    NEAR,
                    ObjectChange.deleted(other("d")
                            .requiresPodAntiAffinity("rack", "app", "web")
                            .on("a1")
                            .build()),
                    Hint.QUEUE),
            new Case(
                    "the pod itself gets another label",
                    NEAR,
                    ObjectChange.updated(
                            NEAR.build(),
                            web().label("tier", "x")
                                    .requiresPodAffinity("rack", "app", "db")
                                    .build()),
                    Hint.QUEUE),
            new Case(
                    "a nominated pod to be apart from goes",
                    APART,
                    ObjectChange.deleted(other("d").nominatedTo("a1").build()),
                    Hint.QUEUE),
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
            PLUGIN.pod(c.pod.build()).hint(c.change, c.hint);
        }
    }

    @Test
    void isNotAskedAboutOtherPodsThatWait() {
        PLUGIN.pod(Events.NEAR.build())
                .isNotAskedAbout(ObjectChange.added(other("d").build()))
                .isNotAskedAbout(ObjectChange.added(other("d").nominatedTo("a1").build()));
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
