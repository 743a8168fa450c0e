// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.ObjectRefusedException;

final class AdmissionTest {

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String GOLD = priorityClass("gold", "value: 100, preemptionPolicy: Never");
    private static final String DEFAULT = priorityClass("usual", "value: 7, globalDefault: true");
    private static final String HIGHER_DEFAULT = priorityClass("higher", "value: 8, globalDefault: true");

    record Case(String name, List<String> classes, String spec, String admitted) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "a class among the objects",
                        List.of(GOLD),
                        "{priorityClassName: gold}",
                        "{priorityClassName: gold, priority: 100, preemptionPolicy: Never}"),
                new Case(
                        "a class that every cluster has",
                        List.of(),
                        "{priorityClassName: system-node-critical}",
                        "{priorityClassName: system-node-critical, priority: 2000001000, preemptionPolicy: PreemptLowerPriority}"),
                new Case(
                        "the other class that every cluster has",
                        List.of(),
                        "{priorityClassName: system-cluster-critical}",
                        "{priorityClassName: system-cluster-critical, priority: 2000000000, preemptionPolicy: PreemptLowerPriority}"),
                new Case(
                        "no class, and no default",
                        List.of(GOLD),
                        "{}",
                        "{priority: 0, preemptionPolicy: PreemptLowerPriority}"),
                new Case(
                        "no class, and the lowest of the defaults",
                        List.of(HIGHER_DEFAULT, DEFAULT),
                        "{priorityClassName: ''}",
                        "{priorityClassName: usual, priority: 7, preemptionPolicy: PreemptLowerPriority}"),
                new Case(
                        "a priority that the pod has already, even of an unknown class",
                        List.of(DEFAULT),
                        "{priorityClassName: gone, priority: 5}",
                        "{priorityClassName: gone, priority: 5}"),
                new Case(
                        "a preemption policy of the pod's own",
                        List.of(GOLD),
                        "{priorityClassName: gold, preemptionPolicy: PreemptLowerPriority}",
                        "{priorityClassName: gold, preemptionPolicy: PreemptLowerPriority, priority: 100}"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesPodsThePriorityOfTheirClass(Case given) throws IOException {
        ObjectNode pod = tree("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: " + given.spec() + "}");
        List<ObjectNode> objects = new ArrayList<>(List.of(pod));
        for (String priorityClass : given.classes()) {
            objects.add(tree(priorityClass));
        }

        complete(objects);

        assertThat(pod.path("spec")).isEqualTo(tree(given.admitted()));
    }

    record Keys(String name, String term, String selector) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Keys> keys() {
        return Stream.of(
                new Keys(
                        "labels to share",
                        "{labelSelector: {}, matchLabelKeys: [app, gone]}",
                        "{matchExpressions: [{key: app, operator: In, values: [web]}]}"),
                new Keys(
                        "labels not to share, after what is there",
                        "{labelSelector: {matchExpressions: [{key: x, operator: Exists}]}, mismatchLabelKeys: [tenant]}",
                        "{matchExpressions: [{key: x, operator: Exists}, {key: tenant, operator: NotIn, values: ['']}]}"),
                new Keys(
                        "both",
                        "{labelSelector: {}, mismatchLabelKeys: [tenant], matchLabelKeys: [app]}",
                        "{matchExpressions: [{key: app, operator: In, values: [web]},"
                                + " {key: tenant, operator: NotIn, values: ['']}]}"),
                new Keys(
                        "what was merged before",
                        "{labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]},"
                                + " matchLabelKeys: [app]}",
                        "{matchExpressions: [{key: app, operator: In, values: [web]}]}"),
                new Keys("no selector, which selects nothing", "{matchLabelKeys: [app]}", "null"),
                new Keys("no keys", "{labelSelector: {matchLabels: {a: b}}}", "{matchLabels: {a: b}}"));
    }

    @ParameterizedTest
    @CsvSource({"true, true, 1", "true, false, 0", "false, false, 0"})
    void mergesLabelKeysOfSpreadConstraintsWithThatFeature(boolean read, boolean merged, int requirements)
            throws IOException {
        ObjectNode pod = tree("{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: web}}, spec:"
                + " {topologySpreadConstraints: [{labelSelector: {}, matchLabelKeys: [app]}]}}");

        complete(
                List.of(pod),
                FeatureGates.of(Map.of(
                        FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD,
                        read,
                        FeatureGates.MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE,
                        merged)));

        assertThat(pod.at("/spec/topologySpreadConstraints/0/labelSelector/matchExpressions"))
                .hasSize(requirements);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void mergesLabelKeysIntoSelectors(Keys given) throws IOException {
        ObjectNode pod = tree("{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: web, tenant: ''}}, spec:"
                + " {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + given.term()
                + "]}, podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1,"
                + " podAffinityTerm: " + given.term() + "}]}}}}");

        complete(List.of(pod));

        ObjectNode expected = tree("{labelSelector: " + given.selector() + "}");
        for (String term : List.of(
                "/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0",
                "/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm")) {
            assertThat(pod.at("/spec/affinity" + term + "/labelSelector"))
                    .as(term)
                    .isEqualTo(
                            given.selector().equals("null")
                                    ? MissingNode.getInstance()
                                    : expected.path("labelSelector"));
        }
    }

    @Test
    void mergesLabelKeysOfSpreading() throws IOException {
        ObjectNode pod = tree("{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: web}}, spec:"
                + " {topologySpreadConstraints: [{labelSelector: {}, matchLabelKeys: [app]}]}}");

        complete(List.of(pod));

        assertThat(pod.at("/spec/topologySpreadConstraints/0/labelSelector"))
                .isEqualTo(tree("{matchExpressions: [{key: app, operator: In, values: [web]}]}"));
    }

    @Test
    void refusesAnUnknownClass() throws IOException {
        ObjectNode pod =
                tree("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, spec: {priorityClassName: x}}");

        assertThatThrownBy(() -> complete(List.of(pod)))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage("Pod b/a: spec.priorityClassName: \"x\" (expected: the name of a PriorityClass among the"
                        + " objects: system-cluster-critical, system-node-critical)");
    }

    @Nested
    class OfGroups {
        private static final FeatureGates GROUPS = FeatureGates.of(Map.of(
                FeatureGates.GENERIC_WORKLOAD,
                true,
                FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
                true,
                FeatureGates.COMPOSITE_POD_GROUP,
                true,
                FeatureGates.POD_GROUP_PREEMPTION_POLICY,
                true,
                FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS,
                true));
        private static final String POD_GROUP = "apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup";
        private static final String COMPOSITE = "apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup";
        private static final String WITH_ALL = "{parentCompositePodGroupName: p, preemptionPolicy: Never, priority: 3,"
                + " schedulingConstraints: {topology: [{key: rack}]}, resourceClaims: [{name: c}]}";

        record Group(String name, FeatureGates features, String kind, String spec, String admitted) {
            @Override
            public String toString() {
                return name;
            }
        }

        static List<Group> groups() {
            return List.of(
                    new Group(
                            "a class among the objects",
                            GROUPS,
                            POD_GROUP,
                            "{priorityClassName: gold}",
                            "{priorityClassName: gold, priority: 100, preemptionPolicy: Never}"),
                    new Group(
                            "a class, of a group of the version that comes after the model's",
                            GROUPS,
                            "apiVersion: scheduling.k8s.io/v1, kind: PodGroup",
                            "{priorityClassName: gold}",
                            "{priorityClassName: gold, priority: 100, preemptionPolicy: Never}"),
                    new Group(
                            "no class, and a default",
                            GROUPS,
                            POD_GROUP,
                            "{}",
                            "{priorityClassName: usual, priority: 7, preemptionPolicy: PreemptLowerPriority}"),
                    new Group(
                            "a class, of a group of groups",
                            GROUPS,
                            COMPOSITE,
                            "{priorityClassName: gold, priority: 100}",
                            "{priorityClassName: gold, priority: 100, preemptionPolicy: Never}"),
                    new Group(
                            "an explicit priority and policy, without a class",
                            GROUPS,
                            POD_GROUP,
                            "{priority: 5, preemptionPolicy: Never}",
                            "{priority: 5, preemptionPolicy: Never}"),
                    new Group("all that features add", GROUPS, POD_GROUP, WITH_ALL, WITH_ALL),
                    new Group(
                            "nothing of what features add that are off",
                            GROUPS.with(FeatureGates.COMPOSITE_POD_GROUP, false)
                                    .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, false)
                                    .with(FeatureGates.POD_GROUP_PREEMPTION_POLICY, false)
                                    .with(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS, false),
                            POD_GROUP,
                            WITH_ALL,
                            "{priority: 3}"),
                    new Group("as it is, where there are no groups", FeatureGates.DEFAULTS, POD_GROUP, "{}", "{}"));
        }

        @ParameterizedTest
        @MethodSource("groups")
        void givesThemThePriorityOfTheirClass(Group given) throws IOException {
            ObjectNode group =
                    tree("{" + given.kind + ", metadata: {name: a, namespace: b}, spec: " + given.spec + "}");

            complete(List.of(tree(GOLD), tree(DEFAULT), group), given.features);

            assertThat(group.path("spec")).isEqualTo(tree(given.admitted));
        }

        @ParameterizedTest
        @CsvSource({"false, false", "true, true"})
        void leavesThePodsInThemWithThatFeature(boolean isOn, boolean stays) throws IOException {
            ObjectNode pod = tree("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b},"
                    + " spec: {priority: 1, schedulingGroup: {podGroupName: g}}}");

            complete(List.of(pod), FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, isOn)));

            assertThat(pod.path("spec").has("schedulingGroup")).isEqualTo(stays);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "priorityClassName: gold, priority: 5 | priority set in the pod group (5) must match the priority"
                            + " computed (100) based on the priority class set in the spec",
                    "priorityClassName: gold, preemptionPolicy: PreemptLowerPriority | the string value of"
                            + " PreemptionPolicy (PreemptLowerPriority) must not be provided in pod group spec; priority"
                            + " admission controller computed Never from the given PriorityClass name",
                    "priorityClassName: odd | preemptionPolicy set in the PriorityClass object (Sometimes) must match one"
                            + " of the allowed values of PreemptionPolicy type in pod group"
                })
        void refusesANewOneThatSaysOtherwiseThanItsClass(String spec, String refusal) throws IOException {
            String odd = priorityClass("odd", "value: 1, preemptionPolicy: Sometimes");
            ObjectNode group = tree("{" + POD_GROUP + ", metadata: {name: a, namespace: b}, spec: {" + spec + "}}");
            List<ObjectNode> objects = List.of(tree(GOLD), tree(odd), group);

            assertThatThrownBy(() -> complete(objects, GROUPS))
                    .isInstanceOf(ObjectRefusedException.class)
                    .hasMessage("podgroups.scheduling.k8s.io \"a\" is forbidden: " + refusal);
        }

        @Test
        void refusesAnUnknownClass() throws IOException {
            ObjectNode group =
                    tree("{" + POD_GROUP + ", metadata: {name: a, namespace: b}, spec: {priorityClassName: x}}");

            assertThatThrownBy(() -> complete(List.of(tree(GOLD), group), GROUPS))
                    .isInstanceOf(ClusterFileException.class)
                    .hasMessage(
                            "PodGroup b/a: spec.priorityClassName: \"x\" (expected: the name of a PriorityClass among"
                                    + " the objects: gold, system-cluster-critical, system-node-critical)");
        }

        @Test
        void takesOneThatAServerHasAdmittedForWhatItSays() throws IOException {
            ObjectNode group =
                    tree("{" + POD_GROUP + ", metadata: {name: a, creationTimestamp: '2026-11-21T09:30:00Z'},"
                            + " spec: {priorityClassName: gone, priority: 5}}");

            complete(List.of(group), GROUPS);

            assertThat(group.path("spec")).isEqualTo(tree("{priorityClassName: gone, priority: 5}"));
        }
    }

    @Test
    void refusesAClassWithoutANumber() throws IOException {
        ObjectNode priorityClass = tree(priorityClass("gold", "value: high"));

        assertThatThrownBy(() -> complete(List.of(priorityClass)))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage("PriorityClass gold: value: \"high\" (expected: a whole number of 32 bits)");
    }

    @Test
    void derivesMissingUidsFromWhatTheObjectIs() throws IOException {
        List<String> written = List.of(
                "{apiVersion: v1, kind: Node, metadata: {name: a}}",
                "{apiVersion: v1, kind: Node, metadata: {name: b}}",
                "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}}",
                "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: 'y'}}");
        List<ObjectNode> first = new ArrayList<>();
        List<ObjectNode> second = new ArrayList<>();
        for (String object : written) {
            first.add(tree(object));
            second.add(tree(object));
        }

        complete(first);
        complete(second);

        assertThat(first)
                .extracting(object -> object.path("metadata").path("uid").asText())
                .doesNotHaveDuplicates();
        assertThat(first).isEqualTo(second);
    }

    @Test
    void keepsUidsAndAddsNoCreationTime() throws IOException {
        ObjectNode node = tree("{apiVersion: v1, kind: Node, metadata: {name: a, uid: u}}");

        complete(List.of(node));

        assertThat(node).isEqualTo(tree("{apiVersion: v1, kind: Node, metadata: {name: a, uid: u}}"));
    }

    private static void complete(List<ObjectNode> objects) {
        complete(objects, FeatureGates.DEFAULTS);
    }

    private static void complete(List<ObjectNode> objects, FeatureGates features) {
        Admission admission = new Admission(features);
        objects.forEach(Admission::addUid);
        objects.forEach(admission::seen);
        objects.forEach(admission::requirePriorityClass);
        objects.forEach(admission::complete);
    }

    private static String priorityClass(String name, String fields) {
        return "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name + "}, " + fields
                + "}";
    }

    private static ObjectNode tree(String yaml) throws IOException {
        return (ObjectNode) YAML.readTree(yaml);
    }
}
