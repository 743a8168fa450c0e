// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.NodeSelector;

class AllocationBuilderTest {
    private record Case(String name, UnaryOperator<AllocationQuestion> question, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String IN_ZONE_A =
            "nodeSelector: {nodeSelectorTerms: [{matchExpressions:" + " [{key: zone, operator: In, values: [a]}]}]}, ";
    private static final String NOT_IN_ZONE_B = "nodeSelector: {nodeSelectorTerms: [{matchExpressions:"
            + " [{key: zone, operator: NotIn, values: [b]}]}]}, ";

    private static String pool(String name) {
        return "pool: {name: " + name + ", generation: 1, resourceSliceCount: 1}, devices: [{name: d}]";
    }

    static final List<Case> NODE_SELECTORS = List.of(
            new Case(
                    "devices of the node bind the claim to it",
                    q -> q.slice(pool("p")).requests(exactly("r", "")),
                    "fields metadata.name In [n1]"),
            new Case(
                    "devices of all nodes do not",
                    q -> q.slice("allNodes: true, " + pool("p")).requests(exactly("r", "")),
                    ""),
            new Case(
                    "the selector of a slice is the claim's",
                    q -> q.slice(IN_ZONE_A + pool("p")).requests(exactly("r", "")),
                    "zone In [a]"),
            new Case(
                    "the selectors of several slices hold together",
                    q -> q.slice(IN_ZONE_A + pool("p"))
                            .slice(NOT_IN_ZONE_B + pool("q"))
                            .requests(exactly("r", "count: 2")),
                    "zone In [a], zone NotIn [b]"),
            new Case(
                    "what two of them say is there once",
                    q -> q.slice(IN_ZONE_A + pool("p"))
                            .slice(IN_ZONE_A + pool("q"))
                            .requests(exactly("r", "count: 2")),
                    "zone In [a]"),
            new Case(
                    "one device of the node is enough to bind the claim to it",
                    q -> q.slice(IN_ZONE_A + pool("p")).slice(pool("q")).requests(exactly("r", "count: 2")),
                    "fields metadata.name In [n1]"),
            new Case(
                    "a device may bind the claim to the node",
                    q -> q.slice("allNodes: true, devices: [{name: d, bindsToNode: true}]")
                            .requests(exactly("r", "")),
                    "fields metadata.name In [n1]"),
            new Case(
                    "but not with the stable allocator",
                    q -> q.slice("allNodes: true, devices: [{name: d, bindsToNode: true}]")
                            .feature(FeatureGates.DRA_CONSUMABLE_CAPACITY, false)
                            .feature(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false)
                            .requests(exactly("r", "")),
                    ""),
            new Case(
                    "a device may have its own selector",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: d, " + IN_ZONE_A + "}]")
                            .requests(exactly("r", "")),
                    "zone In [a]"));

    @ParameterizedTest
    @FieldSource("NODE_SELECTORS")
    void saysFromWhichNodesTheDevicesCanBeUsed(Case expected) {
        DeviceAllocation allocation =
                expected.question.apply(new AllocationQuestion()).allocations().get(0);
        assertThat(allocation.nodeSelector().map(AllocationBuilderTest::text).orElse(""))
                .isEqualTo(expected.expected);
    }

    private static String text(NodeSelector selector) {
        assertThat(selector.terms()).hasSize(1);
        NodeSelector.Term term = selector.terms().get(0);
        return (term.matchFields().isEmpty() ? "" : "fields " + text(term.matchFields()))
                + text(term.matchExpressions());
    }

    private static String text(List<NodeSelector.Requirement> requirements) {
        return requirements.stream()
                .map(one -> one.key() + " " + one.operator() + " " + one.values())
                .collect(Collectors.joining(", "));
    }

    @Test
    void refusesASliceWhoseSelectorHasSeveralTerms() {
        assertThat(new AllocationQuestion()
                        .slice("nodeSelector: {nodeSelectorTerms: ["
                                + "{matchExpressions: [{key: zone, operator: In, values: [a]}]},"
                                + "{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}, " + pool("p"))
                        .requests(exactly("r", ""))
                        .answer())
                .isEqualTo("create NodeSelector for claim: unsupported ResourceSlice.NodeSelector with 2 terms");
    }

    private static final String CLASS_CONFIG = "config: [{opaque: {driver: d, parameters: {from: class}}}]";

    private static String claimConfig(String requests) {
        return ", config: [{requests: [" + requests + "], opaque: {driver: d, parameters: {from: claim}}}]";
    }

    static final List<Case> CONFIGS = List.of(
            new Case("there is none", q -> q.claim("requests: [" + exactly("r", "") + "]"), ""),
            new Case(
                    "that of the class is for the requests of the class",
                    q -> q.deviceClass("gpu", CLASS_CONFIG)
                            .claim("requests: [" + exactly("r", "") + ", " + exactly("s", "") + "]"),
                    "class []"),
            new Case(
                    "that of a class which others are not of names them",
                    q -> q.deviceClass("gpu", CLASS_CONFIG)
                            .deviceClass("other", "{}")
                            .claim("requests: [" + exactly("r", "")
                                    + ", {name: s, exactly: {deviceClassName: other}}]"),
                    "class [r]"),
            new Case(
                    "that of the claim may be for all requests",
                    q -> q.claim("requests: [" + exactly("r", "") + "]" + claimConfig("")),
                    "claim []"),
            new Case(
                    "that of the claim may be for a request",
                    q -> q.claim("requests: [" + exactly("r", "") + ", " + exactly("s", "") + "]" + claimConfig("s")),
                    "claim [s]"),
            new Case(
                    "that of the class comes first",
                    q -> q.deviceClass("gpu", CLASS_CONFIG)
                            .claim("requests: [" + exactly("r", "") + "]" + claimConfig("r")),
                    "class [], claim []"),
            new Case(
                    "that of the claim is there once, however many requests it names",
                    q -> q.claim("requests: [" + exactly("r", "") + ", " + exactly("s", "") + ", " + exactly("t", "")
                            + "]" + claimConfig("r, s")),
                    "claim [r, s]"),
            new Case(
                    "one that names all requests is for all",
                    q -> q.claim(
                            "requests: [" + exactly("r", "") + ", " + exactly("s", "") + "]" + claimConfig("r, s")),
                    "claim []"),
            new Case(
                    "that for a subrequest which is not selected is omitted",
                    q -> q.claim("requests: ["
                            + DeviceObjects.firstAvailable(
                                    "r",
                                    DeviceObjects.subrequest("many", "count: 5"),
                                    DeviceObjects.subrequest("one", ""))
                            + "]" + claimConfig("r/many")),
                    ""),
            new Case(
                    "that for the selected subrequest is there",
                    q -> q.claim("requests: ["
                            + DeviceObjects.firstAvailable(
                                    "r",
                                    DeviceObjects.subrequest("many", "count: 5"),
                                    DeviceObjects.subrequest("one", ""))
                            + "]" + claimConfig("r/one")),
                    "claim []"));

    @ParameterizedTest
    @FieldSource("CONFIGS")
    void passesOnTheConfiguration(Case expected) {
        DeviceAllocation allocation = expected.question
                .apply(new AllocationQuestion().devices("{name: a}", "{name: b}", "{name: c}"))
                .allocations()
                .get(0);
        assertThat(allocation.config().stream()
                        .map(config -> (config.isFromClass() ? "class " : "claim ")
                                + config.config().requests())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(expected.expected);
        assertThat(allocation.config())
                .allSatisfy(config -> assertThat(config.config().json()).contains("parameters"));
    }

    @Test
    void copiesWhatPreBindAndLaterCyclesNeed() {
        DeviceAllocation.Result result = new AllocationQuestion()
                .devices("{name: a, bindingConditions: [ready], bindingFailureConditions: [failed],"
                        + " taints: [{key: worn, effect: NoSchedule}]}")
                .requests(exactly("r", "tolerations: [{key: worn, operator: Exists}]"))
                .allocations()
                .get(0)
                .results()
                .get(0);
        assertThat(result.bindingConditions()).containsExactly("ready");
        assertThat(result.bindingFailureConditions()).containsExactly("failed");
        assertThat(result.tolerations()).hasSize(1);
        assertThat(result.shareId()).isEmpty();
        assertThat(result.skipNodeOperations()).isEmpty();
    }

    @Test
    void passesOnWhatDevicesSkip() {
        DeviceAllocation allocation = new AllocationQuestion()
                .feature(FeatureGates.DRA_OPTIONAL_NODE_OPERATIONS, true)
                .nodeFeature("DRAOptionalNodeOperations")
                .slice("skipNodeOperations: [NodePrepareResources], devices: [{name: a}]")
                .requests(exactly("r", ""))
                .allocations()
                .get(0);
        assertThat(allocation.results().get(0).skipNodeOperations()).containsExactly("NodePrepareResources");
    }
}
