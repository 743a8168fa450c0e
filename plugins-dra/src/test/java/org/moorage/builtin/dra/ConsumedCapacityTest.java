// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceAllocation;

/** Devices that allow multiple allocations, and the capacity that these consume. */
class ConsumedCapacityTest {
    private static final String IMPOSSIBLE = "cannot allocate all claims";

    private record Case(String name, UnaryOperator<AllocationQuestion> question, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> SHARES = List.of(
            new Case(
                    "requests share a device",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(
                                    exactly("r", "capacity: {requests: {memory: 3}}"),
                                    exactly("s", "capacity: {requests: {memory: 5}}")),
                    "r=a(memory:3) s=a(memory:5)"),
            new Case(
                    "claims share a device",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}"))
                            .requests(exactly("r", "capacity: {requests: {memory: 5}}")),
                    "r=a(memory:3) | r=a(memory:5)"),
            new Case(
                    "together they request too much",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(
                                    exactly("r", "capacity: {requests: {memory: 4}}"),
                                    exactly("s", "capacity: {requests: {memory: 5}}")),
                    IMPOSSIBLE),
            new Case(
                    "allocated shares count",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .allocated("{device: a, shareID: x, consumedCapacity: {memory: 6}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}")),
                    IMPOSSIBLE),
            new Case(
                    "what they leave can be had",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .allocated("{device: a, shareID: x, consumedCapacity: {memory: 6}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 2}}")),
                    "r=a(memory:2)"),
            new Case(
                    "a device that is allocated as a whole is not shared",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .allocated("{device: a}")
                            .requests(exactly("r", "capacity: {requests: {memory: 1}}")),
                    IMPOSSIBLE),
            new Case(
                    "a request that names no capacity takes all of it",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(exactly("r", "")),
                    "r=a(memory:8)"),
            new Case(
                    "a request that names capacity which the device does not have",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(exactly("r", "capacity: {requests: {cores: 1}}")),
                    IMPOSSIBLE),
            new Case(
                    "one request takes a device once",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(exactly("r", "count: 2, capacity: {requests: {memory: 1}}")),
                    IMPOSSIBLE),
            new Case(
                    "an exclusive device has its whole capacity",
                    q -> q.devices("{name: a, capacity: {memory: {value: 8}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}")),
                    "r=a"),
            new Case(
                    "an exclusive device has too little",
                    q -> q.devices("{name: a, capacity: {memory: {value: 2}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}")),
                    IMPOSSIBLE),
            new Case(
                    "a request names capacity while the feature is off",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .feature(FeatureGates.DRA_CONSUMABLE_CAPACITY, false)
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}")),
                    "claim default/c0, request r: has capacity requests, but the DRAConsumableCapacity feature is disabled"),
            new Case(
                    "the stable allocator ignores the capacity of requests",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .feature(FeatureGates.DRA_CONSUMABLE_CAPACITY, false)
                            .feature(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false)
                            .requests(exactly("r", "capacity: {requests: {memory: 30}}")),
                    "r=a"),
            new Case(
                    "a share counts as the whole device while the feature is off",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .feature(FeatureGates.DRA_CONSUMABLE_CAPACITY, false)
                            .allocated("{device: a, shareID: x, consumedCapacity: {memory: 1}}")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE));

    static final List<Case> POLICIES = List.of(
            new Case(
                    "a request that names no capacity takes the default",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2}}}}")
                            .requests(exactly("r", "")),
                    "r=a(memory:2)"),
            new Case(
                    "a request is rounded up to the least of a range",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2, validRange: {min: 2}}}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 1}}")),
                    "r=a(memory:2)"),
            new Case(
                    "a request is rounded up to a step of a range",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2, validRange: {min: 2, step: 2}}}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}")),
                    "r=a(memory:4)"),
            new Case(
                    "a request on a step stays as it is",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2, validRange: {min: 2, step: 2}}}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 4}}")),
                    "r=a(memory:4)"),
            new Case(
                    "a request above the range is not possible",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2, validRange: {min: 2, max: 4}}}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 5}}")),
                    IMPOSSIBLE),
            new Case(
                    "a request is rounded up to the next valid value",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2, validValues: [2, 4]}}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 3}}")),
                    "r=a(memory:4)"),
            new Case(
                    "a request above all valid values is not possible",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8, requestPolicy: {default: 2, validValues: [2, 4]}}}}")
                            .requests(exactly("r", "capacity: {requests: {memory: 5}}")),
                    IMPOSSIBLE));

    private static String ranged(String range) {
        return "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: '8', requestPolicy: {default: 1,"
                + " validRange: {" + range + "}}}}}";
    }

    private static String requesting(String amount) {
        return exactly("r", "capacity: {requests: {memory: " + amount + "}}");
    }

    static final List<Case> FRACTIONS = List.of(
            new Case(
                    "steps may be thousandths",
                    q -> q.feature(FeatureGates.DRA_FRACTIONAL_CAPACITY_RANGE, true)
                            .devices(ranged("min: 250m, step: 250m"))
                            .requests(requesting("300m")),
                    "r=a(memory:0.5)"),
            new Case(
                    "but whole units while that feature is off",
                    q -> q.feature(FeatureGates.DRA_FRACTIONAL_CAPACITY_RANGE, false)
                            .devices(ranged("min: 250m, step: 250m"))
                            .requests(requesting("300m")),
                    "r=a(memory:1)"),
            new Case(
                    "a range that thousandths cannot express is counted in whole units",
                    q -> q.feature(FeatureGates.DRA_FRACTIONAL_CAPACITY_RANGE, true)
                            .devices(ranged("min: 250u, step: 250m"))
                            .requests(requesting("300m")),
                    "r=a(memory:1)"),
            new Case(
                    "a request that thousandths cannot express ends the search",
                    q -> q.feature(FeatureGates.DRA_FRACTIONAL_CAPACITY_RANGE, true)
                            .devices("{name: b}", ranged("min: 1m, step: 1m"))
                            .requests(exactly("r", "capacity: {requests: {memory: 1500u}}")),
                    "claim default/c0, request r: checking capacity for device gpu.example.com/n1/a: capacity"
                            + " \"memory\": capacity request cannot be represented in the device's range arithmetic:"
                            + " request 1500u is not a representable milli value"),
            new Case(
                    "so does one that is rounded up too far",
                    q -> q.feature(FeatureGates.DRA_FRACTIONAL_CAPACITY_RANGE, false)
                            .devices(ranged("min: 1, step: 4Ei"))
                            .requests(requesting("7Ei")),
                    "claim default/c0, request r: checking capacity for device gpu.example.com/n1/a: capacity"
                            + " \"memory\": capacity request cannot be represented in the device's range arithmetic:"
                            + " rounding request 7Ei up to the next step passes MaxInt64"),
            new Case(
                    "and one below zero",
                    q -> q.devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(requesting("-1")),
                    "claim default/c0, request r: checking capacity for device gpu.example.com/n1/a: capacity"
                            + " \"memory\": capacity value is negative"),
            new Case(
                    "a device without the capacity is skipped",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {cores: {value: 8}}}",
                                    "{name: b, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .requests(requesting("1")),
                    "r=b(memory:1)"));

    @ParameterizedTest
    @FieldSource({"SHARES", "POLICIES", "FRACTIONS"})
    void keepsToCapacity(Case expected) {
        assertThat(expected.question.apply(new AllocationQuestion()).answer()).isEqualTo(expected.answer);
    }

    @Test
    void eachShareHasADistinctId() {
        AllocationQuestion question = new AllocationQuestion()
                .devices("{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}", "{name: b}")
                .requests(
                        exactly("r", "capacity: {requests: {memory: 1}}"),
                        exactly("s", "capacity: {requests: {memory: 1}}"));
        List<String> ids = shareIds(question);
        assertThat(ids)
                .doesNotHaveDuplicates()
                .allSatisfy(id ->
                        assertThat(id).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
        assertThat(shareIds(question)).isEqualTo(ids);
        assertThat(shareIds(question.shareIdSeed(2))).doesNotContainAnyElementsOf(ids);
    }

    private static List<String> shareIds(AllocationQuestion question) {
        return question.allocations().get(0).results().stream()
                .map(DeviceAllocation.Result::shareId)
                .toList();
    }
}
