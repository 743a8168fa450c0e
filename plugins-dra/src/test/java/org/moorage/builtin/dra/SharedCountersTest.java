// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;

/** Devices that consume counters which their pool shares. */
class SharedCountersTest {
    private static final String IMPOSSIBLE = "cannot allocate all claims";

    private record Case(String name, UnaryOperator<AllocationQuestion> question, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "devices are taken while their counters last",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: d, consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}}}]}]")
                            .requests(exactly("r", "count: 2")),
                    "r=a r=d"),
            new Case(
                    "the counters do not last",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .requests(exactly("r", "count: 2")),
                    IMPOSSIBLE),
            new Case(
                    "each counter of a set counts",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}, memory: {value: 6}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}, memory: {value: 4}}}]}, {name: d, consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}, memory: {value: 2}}}]}]")
                            .requests(exactly("r", "count: 2")),
                    "r=a r=d"),
            new Case(
                    "allocated devices have consumed theirs",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .allocated("{device: a}")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "also those that the node cannot use",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 3}, sharedCounters: [{name: c, counters: {slots: {value: '3'}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 3}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 3}, nodeName: n2, devices: [{name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .allocated("{device: b}")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "a device that is allocated with admin access consumes none",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .allocated("{device: a, adminAccess: true}")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "claims share the counters",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}, {name: d, consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}}}]}]")
                            .requests(exactly("r", ""))
                            .requests(exactly("r", "")),
                    "r=a | r=d"),
            new Case(
                    "counters are free again when a device is exchanged",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '3'}}}]}, {name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}}}]}, {name: d, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .requests(exactly("r", "count: 2")),
                    "r=b r=d"),
            new Case(
                    "devices that consume counters are not used while the feature is off",
                    q -> q.slice("devices: [{name: a}]")
                            .feature(FeatureGates.DRA_PARTITIONABLE_DEVICES, false)
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "further shares of a device consume no counters again",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}, memory: {value: 8}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 1}}}, consumesCounters: [{counterSet: c, counters: {slots: {value: '3'}}}]}]")
                            .requests(exactly("r", ""))
                            .requests(exactly("r", "")),
                    "r=a(memory:1) | r=a(memory:1)"),
            new Case(
                    "nor do they if a share without capacity is allocated",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '3'}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, allowMultipleAllocations: true, consumesCounters: [{counterSet: c, counters: {slots: {value: '3'}}}]}]")
                            .allocated("{device: a, shareID: x}")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "pools of two drivers with one name share none",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '2'}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .slice(
                                    "driver: other.example.com, pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '2'}}}]")
                            .slice(
                                    "driver: other.example.com, pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .requests(exactly("r", "count: 2")),
                    "r=a r=b"),
            new Case(
                    "counters may stand in a slice for another node",
                    q -> q.slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, nodeName: n2, sharedCounters: [{name: c, counters: {slots: {value: '2'}}}]")
                            .slice(
                                    "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]}]")
                            .requests(exactly("r", "")),
                    "r=a"));

    private static final String COUNTERS =
            "pool: {name: n1, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: c, counters: {slots: {value: '9'}}}]";

    private static String grouped(String device, String groups) {
        return "{name: " + device + ", consumesCounters: [{counterSet: c, counters: {slots: {value: '1'}},"
                + " compatibilityGroups: [" + groups + "]}]}";
    }

    private static AllocationQuestion groups(AllocationQuestion question, boolean isOn, String... devices) {
        return question.feature(FeatureGates.DRA_DEVICE_COMPATIBILITY_GROUPS, isOn)
                .slice(COUNTERS)
                .slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [" + String.join(", ", devices)
                        + "]");
    }

    static final List<Case> GROUPS = List.of(
            new Case(
                    "devices of one set have a group in common",
                    q -> groups(q, true, grouped("a", "x, y"), grouped("b", "z"), grouped("d", "y, z"))
                            .requests(exactly("r", "count: 2")),
                    "r=a r=d"),
            new Case(
                    "all of them, not two and two",
                    q -> groups(q, true, grouped("a", "x, y"), grouped("b", "y, z"), grouped("d", "z, x"))
                            .requests(exactly("r", "count: 3")),
                    IMPOSSIBLE),
            new Case(
                    "a device without groups goes with others without",
                    q -> groups(q, true, grouped("a", ""), grouped("b", "x"), grouped("d", ""))
                            .requests(exactly("r", "count: 2")),
                    "r=a r=d"),
            new Case(
                    "allocated devices count",
                    q -> groups(q, true, grouped("a", "x"), grouped("b", "y"), grouped("d", "x"))
                            .allocated("{device: a}")
                            .requests(exactly("r", "")),
                    "r=d"),
            new Case(
                    "what they have in common is known again when a device is exchanged",
                    q -> groups(q, true, grouped("a", "x, y"), grouped("b", "y"), grouped("d", "x"), grouped("e", "x"))
                            .requests(exactly("r", "count: 3")),
                    "r=a r=d r=e"),
            new Case(
                    "while that feature is off, no device of such a pool is used",
                    q -> groups(q, false, grouped("a", "x"), "{name: b}").requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "nor is a pool complete without such a slice",
                    q -> q.slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: b}]")
                            .slice("pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: ["
                                    + grouped("a", "x") + "]")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE));

    @ParameterizedTest
    @FieldSource({"CASES", "GROUPS"})
    void keepsToCounters(Case expected) {
        assertThat(expected.question.apply(new AllocationQuestion()).answer()).isEqualTo(expected.answer);
    }
}
