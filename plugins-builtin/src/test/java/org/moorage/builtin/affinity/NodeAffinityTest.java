// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.testkit.Selectors.anyOf;
import static org.moorage.testkit.Selectors.exists;
import static org.moorage.testkit.Selectors.greaterThan;
import static org.moorage.testkit.Selectors.in;
import static org.moorage.testkit.Selectors.labelled;
import static org.moorage.testkit.Selectors.lessThan;
import static org.moorage.testkit.Selectors.nodeNamed;
import static org.moorage.testkit.Selectors.notIn;
import static org.moorage.testkit.Selectors.requirement;
import static org.moorage.testkit.Selectors.withFields;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;

class NodeAffinityTest {
    private static final PluginTester PLUGIN = plugin(NodeAffinity.Args.DEFAULTS);
    private static final Node SSD =
            Nodes.named("n1").label("disk", "ssd").label("cores", "8").build();
    private static final Node HDD = Nodes.named("n2").label("disk", "hdd").build();

    private static PluginTester plugin(NodeAffinity.Args args) {
        return PluginTester.of(NodeAffinity.FACTORY, args);
    }

    private static NodeAffinity.Args added(
            Optional<NodeSelector> required, org.moorage.api.model.NodeAffinity.Preferred... preferred) {
        return new NodeAffinity.Args(Optional.of(new org.moorage.api.model.NodeAffinity(required, List.of(preferred))));
    }

    private static Pods pod() {
        return Pods.named("p");
    }

    @Nested
    class PreFilter {
        record Case(String name, Pods pod, Consumer<PodTester> check) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("skips pods that demand nothing", pod(), PodTester::skipsFilter),
            new Case(
                    "skips pods that only wish",
                    pod().prefersNode(1, labelled(exists("disk"))),
                    PodTester::skipsFilter),
            new Case(
                    "does not narrow by labels",
                    pod().nodeSelector("disk", "ssd").requiresNode(labelled(exists("disk"))),
                    PodTester::leavesAllNodes),
            new Case("narrows by name", pod().requiresNode(nodeNamed("n1")), only("n1")),
            new Case(
                    "narrows to the names of all terms",
                    pod().requiresNode(nodeNamed("n1"), nodeNamed("n2")),
                    only("n1", "n2")),
            new Case(
                    "does not narrow if a term names no node",
                    pod().requiresNode(nodeNamed("n1"), labelled(exists("disk"))),
                    PodTester::leavesAllNodes),
            new Case(
                    "does not narrow by names to keep away from",
                    pod().requiresNode(withFields(requirement("metadata.name", "NotIn", "n1"))),
                    PodTester::leavesAllNodes),
            new Case("does not narrow if there is no term", pod().requiresNode(), PodTester::leavesAllNodes),
            new Case(
                    "rejects names that contradict each other",
                    pod().requiresNode(withFields(
                            requirement("metadata.name", "In", "n1"), requirement("metadata.name", "In", "n2"))),
                    tester -> tester.rejectsPod(Status.unresolvable("pod affinity terms conflict"))),
            new Case(
                    "ignores a term that contradicts itself",
                    pod().requiresNode(
                                    withFields(
                                            requirement("metadata.name", "In", "n1"),
                                            requirement("metadata.name", "In", "n2")),
                                    nodeNamed("n3")),
                    only("n3")),
        };

        private static Consumer<PodTester> only(String... names) {
            return tester -> tester.leavesOnlyNodes(names);
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void prepares(Case c) {
            c.check.accept(PLUGIN.pod(c.pod.build()));
        }

        @Test
        void doesNotSkipIfAnAffinityIsAdded() {
            plugin(added(Optional.of(anyOf(labelled(exists("disk"))))))
                    .pod(pod().build())
                    .leavesAllNodes();
        }
    }

    @Nested
    class Filter {
        private static final Status NOT_SELECTED =
                Status.unresolvable("node(s) didn't match Pod's node affinity/selector");
        private static final Status NOT_ENFORCED =
                Status.unresolvable("node(s) didn't match scheduler-enforced node affinity");

        record Case(String name, Pods pod, boolean fitsSsd, boolean fitsHdd) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("the node selector must match", pod().nodeSelector("disk", "ssd"), true, false),
            new Case(
                    "each label of the node selector must match",
                    pod().nodeSelector("disk", "ssd").nodeSelector("cores", "4"),
                    false,
                    false),
            new Case("In", pod().requiresNode(labelled(in("disk", "ssd", "nvme"))), true, false),
            new Case(
                    "NotIn also if the label is not there",
                    pod().requiresNode(labelled(notIn("cores", "8"))),
                    false,
                    true),
            new Case("Exists", pod().requiresNode(labelled(exists("cores"))), true, false),
            new Case("DoesNotExist", pod().requiresNode(labelled(requirement("cores", "DoesNotExist"))), false, true),
            new Case("Gt", pod().requiresNode(labelled(greaterThan("cores", 7))), true, false),
            new Case("Gt is strict", pod().requiresNode(labelled(greaterThan("cores", 8))), false, false),
            new Case("Lt", pod().requiresNode(labelled(lessThan("cores", 9))), true, false),
            new Case("Lt of what is no number", pod().requiresNode(labelled(lessThan("disk", 9))), false, false),
            new Case("one term is enough", pod().requiresNode(labelled(in("disk", "x")), nodeNamed("n2")), false, true),
            new Case(
                    "all requirements of a term must match",
                    pod().requiresNode(labelled(exists("disk"), in("disk", "hdd"))),
                    false,
                    true),
            new Case("a term without requirements matches nothing", pod().requiresNode(labelled()), false, false),
            new Case("no term matches nothing", pod().requiresNode(), false, false),
            new Case(
                    "selector and affinity must both match",
                    pod().nodeSelector("disk", "ssd").requiresNode(labelled(in("disk", "hdd"))),
                    false,
                    false),
            new Case(
                    "a name to keep away from",
                    pod().requiresNode(withFields(requirement("metadata.name", "NotIn", "n1"))),
                    false,
                    true),
            new Case(
                    "an operator that is not known matches nothing",
                    pod().requiresNode(labelled(requirement("disk", "Sort", "ssd"))),
                    false,
                    false),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            Pod pod = c.pod.build();
            PLUGIN.cluster(SSD).pod(pod).filters("n1", c.fitsSsd ? Status.success() : NOT_SELECTED);
            PLUGIN.cluster(HDD).pod(pod).filters("n2", c.fitsHdd ? Status.success() : NOT_SELECTED);
        }

        @Test
        void enforcesWhatIsAddedBeforeThePodsOwnDemands() {
            PluginTester plugin = plugin(added(Optional.of(anyOf(labelled(in("disk", "ssd"))))))
                    .cluster(SSD, HDD);
            Pod choosy = pod().nodeSelector("disk", "hdd").build();
            plugin.pod(pod().build()).accepts("n1");
            plugin.pod(choosy).rejects("n1", NOT_SELECTED).rejects("n2", NOT_ENFORCED);
        }
    }

    @Nested
    class Score {
        private static final PluginTester BOTH = PLUGIN.cluster(SSD, HDD);

        @Test
        void skipsPodsThatWishNothing() {
            BOTH.pod(pod().build()).skipsScore();
        }

        @Test
        void addsTheWeightsOfTermsThatHold() {
            Pod pod = pod().prefersNode(10, labelled(exists("disk")))
                    .prefersNode(30, labelled(in("disk", "ssd")))
                    .build();
            BOTH.pod(pod).scores("n1", 100).scores("n2", 25);
        }

        @Test
        void ignoresEmptyTermsAndWeightZero() {
            Pod pod = pod().prefersNode(50, labelled())
                    .prefersNode(0, labelled(exists("disk")))
                    .build();
            BOTH.pod(pod).scores("n1", 0).scores("n2", 0);
        }

        @Test
        void countsWhatIsAdded() {
            plugin(added(
                            Optional.empty(),
                            new org.moorage.api.model.NodeAffinity.Preferred(5, labelled(in("disk", "hdd")))))
                    .cluster(SSD, HDD)
                    .pod(pod().build())
                    .scores("n1", 0)
                    .scores("n2", 100);
        }
    }

    @Nested
    class Events {
        private static final Pod POD = pod().nodeSelector("disk", "ssd").build();
        private static final Node SSD_TOO =
                Nodes.named("n1").label("disk", "ssd").label("cores", "16").build();

        record Case(String name, ObjectChange<? extends ClusterObject> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a new node that matches", ObjectChange.added(SSD), Hint.QUEUE),
            new Case("a new node that does not", ObjectChange.added(HDD), Hint.SKIP),
            new Case("a node that comes to match", ObjectChange.updated(HDD, SSD), Hint.QUEUE),
            new Case("a node that matched before", ObjectChange.updated(SSD, SSD_TOO), Hint.SKIP),
            new Case("a node that no longer matches", ObjectChange.updated(SSD, HDD), Hint.SKIP),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hints(Case c) {
            PLUGIN.pod(POD).hint(c.change, c.hint);
        }

        @Test
        void wakesNoPodForANodeOutsideWhatIsAdded() {
            plugin(added(Optional.of(anyOf(labelled(in("disk", "hdd"))))))
                    .pod(POD)
                    .hint(ObjectChange.added(SSD), Hint.SKIP);
        }

        @Test
        void waitsForNodes() {
            PLUGIN.registers("NodeAdd|UpdateNodeLabel");
        }
    }

    @Nested
    class Args {
        private static final String REQUIRED =
                "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].";
        private static final String PREFERRED = "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].";

        record Case(String name, NodeSelector.Requirement requirement, String... problems) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] LABELS = {
            new Case("a sensible requirement", in("disk", "ssd")),
            new Case(
                    "an operator that is not known",
                    requirement("foo", "Sort", "bar"),
                    "operator: \"Sort\" (expected: In, NotIn, Exists, DoesNotExist, Gt or Lt)"),
            new Case(
                    "no value",
                    requirement("foo", "In"),
                    "values: [] (expected: at least one for the operators In and NotIn)"),
            new Case(
                    "a value too many",
                    requirement("foo", "Exists", "x"),
                    "values: [x] (expected: none for the operators Exists and DoesNotExist)"),
            new Case(
                    "two bounds",
                    requirement("foo", "Gt", "1", "2"),
                    "values: [1, 2] (expected: one for the operators Gt and Lt)"),
            new Case(
                    "a bound that is no number",
                    requirement("foo", "Lt", "x"),
                    "values[0]: \"x\" (expected: a whole number for the operators Gt and Lt)"),
            new Case(
                    "a key that is none",
                    requirement("a b", "Exists"),
                    "key: \"a b\" (expected: letters, digits, '-', '_' and '.', at most 63, with an optional prefix"
                            + " such as example.com/)"),
            new Case(
                    "a value that is none",
                    requirement("foo", "In", "ok", "x y"),
                    "values[1]: \"x y\" (expected: empty, or letters, digits, '-', '_' and '.', at most 63)"),
        };

        static final Case[] FIELDS = {
            new Case("a sensible requirement", requirement("metadata.name", "In", "n1")),
            new Case(
                    "an operator of labels",
                    requirement("metadata.name", "Exists"),
                    "operator: \"Exists\" (expected: In or NotIn)"),
            new Case("two names", requirement("metadata.name", "In", "a", "b"), "values: [a, b] (expected: one value)"),
        };

        @ParameterizedTest
        @FieldSource("LABELS")
        void checksLabels(Case c) {
            NodeSelector.Term term = labelled(c.requirement);
            assertThat(problems(added(Optional.of(anyOf(term)))))
                    .containsExactly(prefixed(REQUIRED + "matchExpressions[0].", c.problems));
            assertThat(problems(preferring(1, term)))
                    .containsExactly(prefixed(PREFERRED + "matchExpressions[0].", c.problems));
        }

        @ParameterizedTest
        @FieldSource("FIELDS")
        void checksFields(Case c) {
            NodeSelector.Term term = withFields(c.requirement);
            assertThat(problems(added(Optional.of(anyOf(term)))))
                    .containsExactly(prefixed(REQUIRED + "matchFields[0].", c.problems));
        }

        @Test
        void doesNotLookAtPreferredTermsOfWeightZero() {
            assertThat(problems(preferring(0, labelled(requirement("foo", "Sort")))))
                    .isEmpty();
        }

        private static NodeAffinity.Args preferring(int weight, NodeSelector.Term term) {
            return added(Optional.empty(), new org.moorage.api.model.NodeAffinity.Preferred(weight, term));
        }

        private static List<String> problems(NodeAffinity.Args args) {
            Problems problems = Problems.collector();
            args.validate(problems);
            return problems.all().stream().map(Object::toString).toList();
        }

        private static String[] prefixed(String prefix, String... texts) {
            return List.of(texts).stream().map(prefix::concat).toArray(String[]::new);
        }
    }
}
