// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;

/** Tests which slices form the pools of node n1, and which of their devices can be allocated. */
class PoolTest {
    private static final String IMPOSSIBLE = "cannot allocate all claims";

    private record Case(String name, UnaryOperator<AllocationQuestion> question, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> NODES = List.of(
            new Case(
                    "a slice for the node",
                    q -> q.slice("nodeName: n1, devices: [{name: a}]").requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a slice for another node",
                    q -> q.slice("nodeName: n2, devices: [{name: a}]").requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "a slice for all nodes",
                    q -> q.slice("allNodes: true, devices: [{name: a}]").requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a slice whose node selector matches",
                    q -> q.slice("nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In,"
                                    + " values: [a]}]}]}, devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a slice whose node selector does not match",
                    q -> q.slice("nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In,"
                                    + " values: [b]}]}]}, devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "a slice whose devices name their nodes",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: a, nodeName: n2}, {name: b,"
                                    + " nodeName: n1}]")
                            .requests(exactly("r", "")),
                    "r=b"),
            new Case(
                    "a slice none of whose devices is for the node",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: a, nodeName: n2}]")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "a slice whose devices name their nodes, while the feature is off",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: b, nodeName: n1}]")
                            .feature(FeatureGates.DRA_PARTITIONABLE_DEVICES, false)
                            .requests(exactly("r", "")),
                    IMPOSSIBLE));

    private static final String BAD =
            "{nodeSelectorTerms: [{matchExpressions: [{key: gen, operator: Gt, values: [v4]}]}, {matchFields: [{key:"
                    + " metadata.name, operator: In, values: [n1]}]}]}";
    private static final String BAD_TEXT =
            "failed to parse node selector &NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{"
                    + "NodeSelectorTerm{MatchExpressions:[]NodeSelectorRequirement{NodeSelectorRequirement{Key:gen,Operator:Gt,"
                    + "Values:[v4],},},MatchFields:[]NodeSelectorRequirement{},},NodeSelectorTerm{MatchExpressions:"
                    + "[]NodeSelectorRequirement{},MatchFields:[]NodeSelectorRequirement{NodeSelectorRequirement{Key:metadata.name,Operator:In,Values:[n1],},},},},}:"
                    + " nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"v4\": for 'Gt', 'Lt'"
                    + " operators, the value must be an integer";
    private static final String SELECTION = "gather pool information: failed to perform node selection for ";

    static final List<Case> NOT_A_NUMBER = List.of(
            new Case(
                    "a slice with a node selector that cannot be parsed, although another term matches",
                    q -> q.slice("nodeSelector: " + BAD + ", devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    SELECTION + "slice s0: " + BAD_TEXT),
            new Case(
                    "one of another pool than that of the device",
                    q -> q.slice("nodeName: n1, devices: [{name: a}]")
                            .slice("pool: {name: other, generation: 1, resourceSliceCount: 1}, nodeSelector: " + BAD
                                    + ", devices: [{name: b}]")
                            .requests(exactly("r", "")),
                    SELECTION + "slice s1: " + BAD_TEXT),
            new Case(
                    "a device, before one that the node can use",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: a, nodeSelector: " + BAD
                                    + "}, {name: b, allNodes: true}]")
                            .requests(exactly("r", "")),
                    SELECTION + "device a in slice s0: " + BAD_TEXT),
            new Case(
                    "a device that is tried after one that the node can use",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: a, allNodes: true}, {name: b,"
                                    + " nodeSelector: " + BAD + "}]")
                            .requests(exactly("r", "count: 2")),
                    BAD_TEXT),
            new Case(
                    "a device that is not needed",
                    q -> q.slice("perDeviceNodeSelection: true, devices: [{name: a, allNodes: true}, {name: b,"
                                    + " nodeSelector: " + BAD + "}]")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a device of a slice without node selection per device",
                    q -> q.slice("nodeName: n1, devices: [{name: a, nodeSelector: " + BAD + "}]")
                            .requests(exactly("r", "")),
                    "r=a"));

    static final List<Case> GENERATIONS = List.of(
            new Case(
                    "slices of an older generation do not count",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: old}]")
                            .slice("pool: {name: n1, generation: 2, resourceSliceCount: 1}, devices: [{name: new}]")
                            .requests(exactly("r", "")),
                    "r=new"),
            new Case(
                    "in any order",
                    q -> q.slice("pool: {name: n1, generation: 2, resourceSliceCount: 1}, devices: [{name: new}]")
                            .slice("pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: old}]")
                            .requests(exactly("r", "")),
                    "r=new"),
            new Case(
                    "a pool without all of its slices is not used",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "slices for other nodes make it complete",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, nodeName: n2, devices:"
                                    + " [{name: b}]")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a newer generation for other nodes only takes the pool away",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .slice("pool: {name: n1, generation: 2, resourceSliceCount: 1}, nodeName: n2, devices:"
                                    + " [{name: b}]")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "other pools are used meanwhile",
                    q -> q.slice("pool: {name: a, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .slice("pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: b}]")
                            .requests(exactly("r", "")),
                    "r=b/b"));

    static final List<Case> VALIDITY = List.of(
            new Case(
                    "a device name is there twice",
                    q -> q.devices("{name: a}", "{name: a}").requests(exactly("r", "")),
                    "invalid resource pools were encountered"),
            new Case(
                    "in two slices",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    "invalid resource pools were encountered"),
            new Case(
                    "a counter set is there twice",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name:"
                                    + " c, counters: {x: {value: '1'}}}, {name: c, counters: {x: {value: '1'}}}]")
                            .slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    "invalid resource pools were encountered"),
            new Case(
                    "a device consumes a counter that is not there",
                    q -> q.devices("{name: a, consumesCounters: [{counterSet: c, counters: {x: {value: '1'}}}]}")
                            .requests(exactly("r", "")),
                    "invalid resource pools were encountered"),
            new Case(
                    "an invalid pool does not matter if another has the devices",
                    q -> q.devices("{name: a}", "{name: a}")
                            .slice("pool: {name: z, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    "r=z/a"));

    static final List<Case> ORDER = List.of(
            new Case(
                    "pools go by driver and name",
                    q -> q.slice("driver: z.example.com, pool: {name: a, generation: 1, resourceSliceCount: 1},"
                                    + " devices: [{name: x}]")
                            .slice("driver: b.example.com, pool: {name: z, generation: 1, resourceSliceCount: 1},"
                                    + " devices: [{name: 'y'}]")
                            .requests(exactly("r", "count: 2")),
                    "r=z/y r=a/x"),
            new Case(
                    "pools with binding conditions come last",
                    q -> q.slice("pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: x,"
                                    + " bindingConditions: [ready], bindingFailureConditions: [failed]}]")
                            .slice("pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: 'y'}]")
                            .requests(exactly("r", "count: 2")),
                    "r=b/y r=a/x"),
            new Case(
                    "devices with binding conditions are not used while the feature is off",
                    q -> q.slice("devices: [{name: x, bindingConditions: [ready], bindingFailureConditions:"
                                    + " [failed]}, {name: 'y'}]")
                            .feature(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false)
                            .requests(exactly("r", "")),
                    "r=y"),
            new Case(
                    "slices go by name",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: b}]")
                            .slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]")
                            .requests(exactly("r", "count: 2")),
                    "r=b r=a"));

    @ParameterizedTest
    @FieldSource({"NODES", "NOT_A_NUMBER", "GENERATIONS", "VALIDITY", "ORDER"})
    void gathersPools(Case expected) {
        assertThat(expected.question.apply(new AllocationQuestion()).answer()).isEqualTo(expected.answer);
    }
}
