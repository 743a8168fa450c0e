// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.plugin.FeatureGates;

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
                    "r=a(memory:1) | r=a(memory:1)"));

    @ParameterizedTest
    @FieldSource("CASES")
    void keepsToCounters(Case expected) {
        assertThat(expected.question.apply(new AllocationQuestion()).answer()).isEqualTo(expected.answer);
    }
}
