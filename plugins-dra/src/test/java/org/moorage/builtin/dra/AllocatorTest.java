// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;
import static org.moorage.builtin.dra.DeviceObjects.firstAvailable;
import static org.moorage.builtin.dra.DeviceObjects.subrequest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;

class AllocatorTest {
    private static final String IMPOSSIBLE = "cannot allocate all claims";

    private record Case(String name, UnaryOperator<AllocationQuestion> question, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static String names(String prefix, int count) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < count; i++) {
            names.append(i == 0 ? "" : ", ")
                    .append("{name: ")
                    .append(prefix)
                    .append(i)
                    .append('}');
        }
        return names.toString();
    }

    private static String results(int count) {
        StringBuilder results = new StringBuilder();
        for (int i = 0; i < count; i++) {
            results.append(i == 0 ? "" : " ").append("r=g").append(i);
        }
        return results.toString();
    }

    static final List<Case> EXACT_COUNT = List.of(
            new Case(
                    "the first devices of a slice are taken",
                    q -> q.devices("{name: a}", "{name: b}", "{name: c}").requests(exactly("r", "count: 2")),
                    "r=a r=b"),
            new Case(
                    "a request without a count is for one device",
                    q -> q.devices("{name: a}", "{name: b}").requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "allocated devices are skipped",
                    q -> q.devices("{name: a}", "{name: b}")
                            .allocated("{device: a}")
                            .requests(exactly("r", "")),
                    "r=b"),
            new Case(
                    "there are too few devices",
                    q -> q.devices("{name: a}").requests(exactly("r", "count: 2")),
                    IMPOSSIBLE),
            new Case(
                    "no request of a claim gets the device of another",
                    q -> q.devices("{name: a}", "{name: b}").requests(exactly("r", ""), exactly("s", "")),
                    "r=a s=b"),
            new Case(
                    "no claim gets the device of another",
                    q -> q.devices("{name: a}", "{name: b}")
                            .requests(exactly("r", ""))
                            .requests(exactly("r", "")),
                    "r=a | r=b"),
            new Case(
                    "a device is exchanged if a later request needs it",
                    q -> q.devices("{name: a, attributes: {fast: {bool: true}}}", "{name: b}")
                            .requests(
                                    exactly("r", ""),
                                    exactly(
                                            "s",
                                            "selectors: [{cel: {expression: \"has(device.attributes['gpu.example.com'].fast)\"}}]")),
                    "r=b s=a"),
            new Case("a claim without requests needs no device", q -> q.claim("{}"), ""),
            new Case(
                    "the devices of all pools count, by the name of the pool",
                    q -> q.slice("{pool: {name: z, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}")
                            .slice("{pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}")
                            .requests(exactly("r", "count: 2")),
                    "r=b/a r=z/a"),
            new Case(
                    "a claim may have 32 devices",
                    q -> q.devices(names("g", 40)).requests(exactly("r", "count: 32")),
                    results(32)),
            new Case(
                    "a claim may not have more",
                    q -> q.devices(names("g", 40)).requests(exactly("r", "count: 33")),
                    "claim default/c0, request r: adding 33 devices exceeds the claim limit of 32, with 0 already"
                            + " accounted for"),
            new Case(
                    "however many it requests",
                    q -> q.devices(names("g", 40))
                            .requests(exactly("r", "count: 2"), exactly("s", "count: 9223372036854775807")),
                    "claim default/c0, request s: adding 9223372036854775807 devices exceeds the claim limit of 32,"
                            + " with 2 already accounted for"),
            new Case(
                    "the class is not there",
                    q -> q.requests("{name: r, exactly: {deviceClassName: gone}}"),
                    "claim default/c0, request r: could not retrieve device class gone:"
                            + " deviceclass.resource.k8s.io \"gone\" not found"),
            new Case(
                    "a request has an allocation mode that is not known",
                    q -> q.requests(exactly("r", "allocationMode: Some")),
                    "claim default/c0, request r: unsupported count mode Some"),
            new Case(
                    "a selector does not compile",
                    q -> q.devices("{name: a}")
                            .deviceClass("odd", "selectors: [{cel: {expression: \"device.driver == \"}}]")
                            .requests("{name: r, exactly: {deviceClassName: odd}}"),
                    "class odd: selector #0: CEL compile error:"),
            new Case(
                    "a selector fails for a device",
                    q -> q.devices("{name: a}")
                            .requests(exactly(
                                    "r",
                                    "selectors: [{cel: {expression: \"device.attributes['gpu.example.com'].fast\"}}]")),
                    "claim default/c0: selector #0 on device gpu.example.com/n1/a: CEL runtime error:"));

    static final List<Case> ALL = List.of(
            new Case(
                    "all devices are taken",
                    q -> q.devices("{name: a}", "{name: b}").requests(exactly("r", "allocationMode: All")),
                    "r=a r=b"),
            new Case(
                    "one of them is allocated",
                    q -> q.devices("{name: a}", "{name: b}")
                            .allocated("{device: b}")
                            .requests(exactly("r", "allocationMode: All")),
                    IMPOSSIBLE),
            new Case(
                    "only those that match are needed",
                    q -> q.devices("{name: a}", "{name: b}", "{name: c, attributes: {fast: {bool: true}}}")
                            .requests(
                                    exactly(
                                            "r",
                                            "allocationMode: All, selectors: [{cel: {expression: \"has(device.attributes['gpu.example.com'].fast)\"}}]")),
                    "r=c"),
            new Case("there are none", q -> q.requests(exactly("r", "allocationMode: All")), IMPOSSIBLE),
            new Case(
                    "there are more than a claim may have",
                    q -> q.devices(names("g", 33)).requests(exactly("r", "allocationMode: All")),
                    "claim default/c0, request r: adding 33 devices exceeds the claim limit of 32, with 0 already"
                            + " accounted for"),
            new Case(
                    "one of them has its capacity used up",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}",
                                    "{name: b, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}")
                            .allocated("{device: b, shareID: x, consumedCapacity: {memory: 6}}")
                            .requests(exactly("r", "allocationMode: All, capacity: {requests: {memory: 4}}")),
                    IMPOSSIBLE),
            new Case(
                    "one that could never have the capacity is not among them",
                    q -> q.devices(
                                    "{name: a, allowMultipleAllocations: true, capacity: {memory: {value: 8}}}",
                                    "{name: b, allowMultipleAllocations: true, capacity: {memory: {value: 2}}}")
                            .requests(exactly("r", "allocationMode: All, capacity: {requests: {memory: 4}}")),
                    "r=a(memory:4)"),
            new Case(
                    "a pool is being updated",
                    q -> q.slice("{pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: [{name: a}]}")
                            .requests(exactly("r", "allocationMode: All")),
                    "claim default/c0, request r: asks for all devices,"
                            + " but resource pool gpu.example.com/n1 is currently being updated"),
            new Case(
                    "a pool is invalid",
                    q -> q.devices("{name: a}", "{name: a}").requests(exactly("r", "allocationMode: All")),
                    "claim default/c0, request r: asks for all devices,"
                            + " but resource pool gpu.example.com/n1 is currently invalid"));

    static final List<Case> FIRST_AVAILABLE = List.of(
            new Case(
                    "the first subrequest is selected if it can be",
                    q -> q.devices("{name: a}", "{name: b}")
                            .requests(firstAvailable("r", subrequest("two", "count: 2"), subrequest("one", ""))),
                    "r/two=a r/two=b"),
            new Case(
                    "otherwise the next",
                    q -> q.devices("{name: a}")
                            .requests(firstAvailable("r", subrequest("two", "count: 2"), subrequest("one", ""))),
                    "r/one=a"),
            new Case(
                    "none of them can be selected",
                    q -> q.requests(firstAvailable("r", subrequest("two", "count: 2"), subrequest("one", ""))),
                    IMPOSSIBLE),
            new Case(
                    "the next one is also selected for the sake of a later request",
                    q -> q.devices("{name: a}", "{name: b}")
                            .requests(
                                    firstAvailable("r", subrequest("two", "count: 2"), subrequest("one", "")),
                                    exactly("s", "")),
                    "r/one=a s=b"),
            new Case(
                    "the next one is selected if the first needs more devices than a claim may have",
                    q -> q.devices(names("g", 40))
                            .requests(firstAvailable("r", subrequest("many", "count: 33"), subrequest("one", ""))),
                    "r/one=g0"),
            new Case(
                    "the smallest subrequests together are too large for a claim",
                    q -> q.devices(names("g", 40))
                            .requests(
                                    exactly("q", "count: 32"),
                                    firstAvailable("r", subrequest("two", "count: 2"), subrequest("one", ""))),
                    "claim default/c0, request r: adding 1 devices exceeds the claim limit of 32, with 32 already"
                            + " accounted for"));

    static final List<Case> ADMIN_ACCESS = List.of(
            new Case(
                    "an allocated device can be had",
                    q -> q.devices("{name: a}").allocated("{device: a}").requests(exactly("r", "adminAccess: true")),
                    "r=a(admin)"),
            new Case(
                    "a device that is had so is free for others",
                    q -> q.devices("{name: a}")
                            .allocated("{device: a, adminAccess: true}")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "one claim has no device twice",
                    q -> q.devices("{name: a}")
                            .requests(exactly("r", "adminAccess: true"), exactly("s", "adminAccess: true")),
                    IMPOSSIBLE),
            new Case(
                    "two claims may have one device so",
                    q -> q.devices("{name: a}")
                            .requests(exactly("r", "adminAccess: true"))
                            .requests(exactly("r", "adminAccess: true")),
                    "r=a(admin) | r=a(admin)"),
            new Case(
                    "admin access includes allocated devices",
                    q -> q.devices("{name: a}", "{name: b}")
                            .allocated("{device: b}")
                            .requests(exactly("r", "allocationMode: All, adminAccess: true")),
                    "r=a(admin) r=b(admin)"));

    static final List<Case> NODE_OPERATIONS = List.of(
            new Case(
                    "a device that does without is only for nodes that know of it",
                    q -> q.slice("skipNodeOperations: ['*'], devices: [{name: a}]")
                            .feature(FeatureGates.DRA_OPTIONAL_NODE_OPERATIONS, true)
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "the node declares that it knows of it",
                    q -> q.slice("skipNodeOperations: ['*'], devices: [{name: a}]")
                            .nodeFeature("DRAOptionalNodeOperations")
                            .feature(FeatureGates.DRA_OPTIONAL_NODE_OPERATIONS, true)
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "the experimental allocator does not use such devices while the feature is off",
                    q -> q.slice("skipNodeOperations: ['*'], devices: [{name: a}]")
                            .nodeFeature("DRAOptionalNodeOperations")
                            .feature(FeatureGates.DRA_LIST_TYPE_ATTRIBUTES, true)
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "the others do not look",
                    q -> q.slice("skipNodeOperations: ['*'], devices: [{name: a}]")
                            .requests(exactly("r", "")),
                    "r=a"));

    @ParameterizedTest
    @FieldSource({"EXACT_COUNT", "ALL", "FIRST_AVAILABLE", "ADMIN_ACCESS", "NODE_OPERATIONS"})
    void allocates(Case expected) {
        String answer = expected.question.apply(new AllocationQuestion()).answer();
        if (expected.answer.endsWith(":")) {
            assertThat(answer).startsWith(expected.answer);
        } else {
            assertThat(answer).isEqualTo(expected.answer);
        }
    }

    @Test
    void stopsAtTheTimeLimit() {
        assertThat(new AllocationQuestion()
                        .devices("{name: a}")
                        .requests(exactly("r", ""))
                        .timesOutAfter(0)
                        .answer())
                .isEqualTo("timed out");
    }

    // Twenty devices for nineteen requests and one that no device satisfies: without a limit, 20! ways are tried.
    @Test
    void looksAtTheTimeWhileItSearches() {
        String[] requests = new String[20];
        for (int i = 0; i < 19; i++) {
            requests[i] = exactly("r" + i, "");
        }
        requests[19] = exactly("last", "selectors: [{cel: {expression: \"false\"}}]");
        assertThat(new AllocationQuestion()
                        .devices(names("g", 20))
                        .requests(requests)
                        .timesOutAfter(1000)
                        .answer())
                .isEqualTo("timed out");
    }

    @Test
    void givesTheSameAnswerToThreadsThatAskAtOnce() throws InterruptedException, ExecutionException {
        AllocationQuestion question = new AllocationQuestion()
                .slice("sharedCounters: [{name: c, counters: {slots: {value: '3'}}}],"
                        + " pool: {name: n1, generation: 1, resourceSliceCount: 2}")
                .slice(
                        "pool: {name: n1, generation: 1, resourceSliceCount: 2}, devices: ["
                                + "{name: a, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]},"
                                + "{name: b, consumesCounters: [{counterSet: c, counters: {slots: {value: '2'}}}]},"
                                + "{name: d, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi, requestPolicy: {default: 1Gi}}}}]")
                .requests(exactly("r", "count: 2"))
                .requests(exactly("s", ""));
        Allocator allocator = question.allocator();
        Allocator.Result expected = question.ask(question.allocator());
        assertThat(expected.status().isSuccess()).isTrue();
        List<Callable<Allocator.Result>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            asked.add(() -> question.ask(allocator));
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<Allocator.Result> answer : threads.invokeAll(asked)) {
                assertThat(answer.get()).isEqualTo(expected);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void refusesSubrequestsOfCapacityWhileTheFeatureIsOff() {
        assertThat(new AllocationQuestion()
                        .feature(FeatureGates.DRA_CONSUMABLE_CAPACITY, false)
                        .requests(firstAvailable("r", subrequest("s", "capacity: {requests: {memory: 1Gi}}")))
                        .answer())
                .isEqualTo("claim default/c0, subrequest s: has capacity requests,"
                        + " but the DRAConsumableCapacity feature is disabled");
    }
}
