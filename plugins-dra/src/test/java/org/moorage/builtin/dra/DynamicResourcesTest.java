// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.allocated;
import static org.moorage.builtin.dra.DeviceObjects.claim;
import static org.moorage.builtin.dra.DeviceObjects.deviceClass;
import static org.moorage.builtin.dra.DeviceObjects.exactly;
import static org.moorage.builtin.dra.DeviceObjects.firstAvailable;
import static org.moorage.builtin.dra.DeviceObjects.object;
import static org.moorage.builtin.dra.DeviceObjects.requests;
import static org.moorage.builtin.dra.DeviceObjects.slice;
import static org.moorage.builtin.dra.DeviceObjects.subrequest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class DynamicResourcesTest {
    private static final Status IMPOSSIBLE = Status.unresolvable("cannot allocate all claims");
    private static final Status NOT_AVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Node NODE1 = Nodes.named("n1").build();
    private static final Node NODE2 = Nodes.named("n2").build();
    private static final ClusterObject GPU = deviceClass("gpu", "extendedResourceName: example.com/gpu");
    private static final ClusterObject SLICE = slice("s", "devices: [{name: a}, {name: b}]");
    private static final PluginTester TESTER =
            PluginTester.of(DynamicResources.factory()).cluster(NODE1, NODE2, GPU, SLICE);

    private static Pod naming(String... claims) {
        Pods pod = Pods.named("p").uid("p");
        for (String claim : claims) {
            pod.resourceClaim(new PodSpec.ResourceClaim(claim, claim, ""));
        }
        return pod.build();
    }

    private static Pod requesting(String quantity) {
        return Pods.named("p")
                .uid("p")
                .container("main")
                .requests("example.com/gpu", quantity)
                .build();
    }

    /** A claim that is allocated, and can be used from this node only. */
    private static ResourceClaim availableOn(String nodeName, String name, String reservedFor) {
        String status = allocated("{device: a, pool: " + nodeName + "}");
        String selector =
                "nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: ["
                        + nodeName + "]}]}]}";
        return claim(
                name,
                requests(exactly("r", "")),
                status.substring(0, status.length() - 2) + ", " + selector + "}, reservedFor: [" + reservedFor + "]}");
    }

    private static String consumer(String pod) {
        return "{resource: pods, name: " + pod + ", uid: " + pod + "}";
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(DynamicResources.factory());
    }

    @Nested
    class Arguments {
        private static final FeatureGates OFF = FeatureGates.DEFAULTS
                .with(FeatureGates.DRA_SCHEDULER_FILTER_TIMEOUT, false)
                .with(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false);

        @ParameterizedTest
        @CsvSource({"0, 1, ''", "-1, 1, filterTimeout", "10, 0, bindingTimeout"})
        void areChecked(long filterSeconds, long bindingSeconds, String wrong) {
            Problems problems = Problems.collector();
            args(Duration.ofSeconds(filterSeconds), Duration.ofSeconds(bindingSeconds))
                    .validate(problems);
            assertThat(problems.all())
                    .extracting(Problems.Problem::path)
                    .isEqualTo(wrong.isEmpty() ? List.of() : List.of(wrong));
        }

        @Test
        void haveTheirDefaults() {
            Problems problems = Problems.collector();
            assertThat(DynamicResources.Args.DEFAULTS.forFeatures(FeatureGates.DEFAULTS, problems))
                    .isEqualTo(args(Duration.ofSeconds(10), Duration.ofMinutes(10)));
            assertThat(DynamicResources.Args.DEFAULTS.forFeatures(OFF, problems))
                    .isEqualTo(DynamicResources.Args.DEFAULTS);
            assertThat(problems.all()).isEmpty();
        }

        @Test
        void areRefusedWhoseFeatureIsOff() {
            Problems problems = Problems.collector();
            args(Duration.ofSeconds(-1), Duration.ofMinutes(1)).forFeatures(OFF, problems);
            assertThat(problems.all())
                    .extracting(Problems.Problem::toString)
                    .containsExactly(
                            "filterTimeout: -1s (expected: nothing, DRASchedulerFilterTimeout is off)",
                            "bindingTimeout: 1m (expected: nothing, DRADeviceBindingConditions or"
                                    + " DRAResourceClaimDeviceStatus is off)");
        }
    }

    private static DynamicResources.Args args(Duration filterTimeout, Duration bindingTimeout) {
        return new DynamicResources.Args(Optional.of(filterTimeout), Optional.of(bindingTimeout));
    }

    private record Case(String name, PluginTester tester, Pod pod, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> PRE_FILTER = List.of(
            new Case("a pod without claims is not looked at", TESTER, naming(), Status.skip()),
            new Case(
                    "a pod whose claim is not there",
                    TESTER,
                    naming("gone"),
                    Status.unresolvable("could not find ResourceClaim \"default/gone\"")),
            new Case(
                    "a class that is not there",
                    TESTER.cluster(claim("c", requests("{name: r, exactly: {deviceClassName: gone}}"))),
                    naming("c"),
                    Status.unresolvable("request r: device class gone does not exist")),
            new Case(
                    "the class of a subrequest that is not there",
                    TESTER.cluster(claim(
                            "c",
                            requests(firstAvailable("r", "{name: s, deviceClassName: gone}", subrequest("t", ""))))),
                    naming("c"),
                    Status.unresolvable("request r/s: device class gone does not exist")),
            new Case(
                    "a request of an unknown type",
                    TESTER.cluster(claim("c", requests("{name: r}"))),
                    naming("c"),
                    Status.unresolvable("resource claim default/c, request r: unknown request type")),
            new Case(
                    "subrequests while the feature is off",
                    TESTER.features(FeatureGates.DEFAULTS.with(FeatureGates.DRA_PRIORITIZED_LIST, false))
                            .cluster(claim("c", requests(firstAvailable("r", subrequest("s", ""))))),
                    naming("c"),
                    Status.unresolvable("resource claim default/c, request r: has subrequests,"
                            + " but the DRAPrioritizedList feature is disabled")));

    @ParameterizedTest
    @FieldSource("PRE_FILTER")
    void rejectsPodsInPreFilter(Case expected) {
        if (expected.status.isSkip()) {
            expected.tester.pod(expected.pod).skipsFilter();
        } else {
            expected.tester.pod(expected.pod).rejectsPod(expected.status);
        }
    }

    @Test
    void rejectsAPodWhoseClaimIsBeingAllocatedForAnother() {
        try (TestScheduler scheduler =
                TESTER.cluster(claim("c", requests(exactly("r", "")))).start()) {
            scheduler.reserve(
                    Pods.named("q")
                            .uid("q")
                            .resourceClaim(new PodSpec.ResourceClaim("c", "c", ""))
                            .build(),
                    "n1");
            scheduler
                    .pod(naming("c"))
                    .rejectsPod(Status.unresolvable("resource claim default/c is in the process of being allocated"));
        }
    }

    @Test
    void allocatesDevicesOfAReservedPodToNoOther() {
        try (TestScheduler scheduler = TESTER.cluster(
                        claim("two", requests(exactly("r", "count: 2"))), claim("c", requests(exactly("r", ""))))
                .start()) {
            Pod first = Pods.named("q")
                    .uid("q")
                    .resourceClaim(new PodSpec.ResourceClaim("g", "two", ""))
                    .build();
            scheduler.pod(naming("c")).accepts("n1");
            scheduler.reserve(first, "n1");
            scheduler.pod(naming("c")).rejects("n1", IMPOSSIBLE);
            scheduler.unreserve(first);
            scheduler.pod(naming("c")).accepts("n1");
        }
    }

    static final List<Case> FILTER = List.of(
            new Case(
                    "the node has the devices",
                    TESTER.cluster(claim("c", requests(exactly("r", "count: 2")))),
                    naming("c"),
                    Status.success()),
            new Case(
                    "the node has too few devices",
                    TESTER.cluster(claim("c", requests(exactly("r", "count: 3")))),
                    naming("c"),
                    IMPOSSIBLE),
            new Case(
                    "an allocated claim that can be used from the node",
                    TESTER.cluster(availableOn("n1", "c", "")),
                    naming("c"),
                    Status.success()),
            new Case(
                    "an allocated claim that cannot be used from the node",
                    TESTER.cluster(availableOn("n2", "c", "")),
                    naming("c"),
                    NOT_AVAILABLE),
            new Case(
                    "one claim cannot be used, another cannot be allocated: the latter is said",
                    TESTER.cluster(availableOn("n2", "c", ""), claim("d", requests(exactly("r", "count: 3")))),
                    naming("c", "d"),
                    IMPOSSIBLE),
            new Case("devices for an extended resource", TESTER, requesting("2"), Status.success()),
            new Case("too few devices for an extended resource", TESTER, requesting("3"), IMPOSSIBLE),
            new Case(
                    "an extended resource that neither the node nor a class has",
                    TESTER,
                    Pods.named("p")
                            .container("main")
                            .requests("example.com/gpu", "1")
                            .requests("example.com/other", "1")
                            .build(),
                    Status.unresolvable("cannot fit resource")),
            new Case(
                    "a class for an extended resource while the feature is off",
                    TESTER.features(FeatureGates.DEFAULTS.with(FeatureGates.DRA_EXTENDED_RESOURCE, false))
                            .cluster(claim("c", requests(exactly("r", "")))),
                    Pods.named("p")
                            .resourceClaim(new PodSpec.ResourceClaim("c", "c", ""))
                            .container("main")
                            .requests("example.com/gpu", "3")
                            .build(),
                    Status.success()));

    @ParameterizedTest
    @FieldSource("FILTER")
    void filtersNodes(Case expected) {
        expected.tester.pod(expected.pod).filters("n1", expected.status);
    }

    @Test
    void leavesAnExtendedResourceToANodeThatOffersIt() {
        PluginTester tester = PluginTester.of(DynamicResources.factory())
                .cluster(Nodes.named("n1").allocatable("example.com/gpu", "1").build(), GPU);
        try (TestScheduler scheduler = tester.start()) {
            assertThat(scheduler.schedule(requesting("1")).outcome()).isEqualTo(Decision.Outcome.SCHEDULED);
            assertThat(scheduler.cluster().all(ObjectKind.RESOURCE_CLAIM)).isEmpty();
        }
    }

    @Test
    void failsWhenTheSearchTakesTooLong() {
        PluginTester.of(DynamicResources.factory(), args(Duration.ofNanos(1), Duration.ofMinutes(10)))
                .cluster(NODE1, GPU, SLICE, claim("c", requests(exactly("r", ""))))
                .pod(naming("c"))
                .fails("node n1: timed out trying to allocate devices");
    }

    static final List<Case> POST_FILTER = List.of(
            new Case("a pod without claims", TESTER.cluster(), naming(), Status.unschedulable()),
            new Case(
                    "an unused claim",
                    TESTER.cluster(availableOn("n3", "c", "")),
                    naming("c"),
                    Status.unschedulable("deallocation of ResourceClaim completed")),
            new Case(
                    "a claim that is reserved for the pod alone",
                    TESTER.cluster(availableOn("n3", "c", consumer("p"))),
                    naming("c"),
                    Status.unschedulable("deallocation of ResourceClaim completed")),
            new Case(
                    "a claim that is reserved for another pod",
                    TESTER.cluster(availableOn("n3", "c", consumer("q"))),
                    naming("c"),
                    Status.unschedulable()),
            new Case(
                    "a claim that is reserved for another pod, and one that is not reserved",
                    TESTER.cluster(availableOn("n3", "c", consumer("q")), availableOn("n3", "d", "")),
                    naming("c", "d"),
                    Status.unschedulable("deallocation of ResourceClaim completed")),
            new Case(
                    "a claim that is not in the way, since another cannot be allocated",
                    TESTER.cluster(availableOn("n2", "c", ""), claim("d", requests(exactly("r", "count: 3")))),
                    naming("c", "d"),
                    Status.unschedulable()),
            new Case(
                    "a claim that cannot be allocated",
                    TESTER.cluster(claim("c", requests(exactly("r", "count: 3")))),
                    naming("c"),
                    Status.unschedulable()));

    @ParameterizedTest
    @FieldSource("POST_FILTER")
    void deallocatesClaimsInPostFilter(Case expected) {
        PluginTester tester = expected.pod.spec().resourceClaims().isEmpty()
                ? expected.tester.beside(new RejectingFactory())
                : expected.tester;
        tester.pod(expected.pod).doesNotPreempt(expected.status);
    }

    @Test
    void deallocatesTheFirstClaimThatIsInTheWay() {
        try (TestScheduler scheduler = TESTER.cluster(
                        availableOn("n1", "c", ""), availableOn("n2", "d", ""), availableOn("n2", "e", ""))
                .start()) {
            scheduler.schedule(naming("c", "d", "e"));
            assertThat(scheduler.cluster().all(ObjectKind.RESOURCE_CLAIM))
                    .filteredOn(claim -> claim.allocation().isEmpty())
                    .extracting(ResourceClaim::name)
                    .containsExactly("c");
        }
    }

    private record Scored(String name, String claim, long n1, long n2) {
        @Override
        public String toString() {
            return name;
        }
    }

    // Node n1 has two devices, node n2 has one.
    static final List<Scored> SCORES = List.of(
            new Scored(
                    "an earlier subrequest is better",
                    requests(firstAvailable("r", subrequest("two", "count: 2"), subrequest("one", ""))),
                    100,
                    87),
            new Scored(
                    "the subrequests of all requests count",
                    requests(
                            firstAvailable("r", subrequest("x", "")),
                            firstAvailable("s", subrequest("one", ""), subrequest("none", "count: 0"))),
                    100,
                    0),
            new Scored("a request without subrequests does not count", requests(exactly("r", "")), 0, 0));

    @ParameterizedTest
    @FieldSource("SCORES")
    void scoresSubrequests(Scored expected) {
        PluginTester tester = TESTER.cluster(
                slice(
                        "t",
                        "nodeName: n2, pool: {name: n2, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]"),
                claim("c", expected.claim));
        tester.pod(naming("c")).scores("n1", expected.n1);
        if (expected.n2 > 0) {
            tester.pod(naming("c")).scores("n2", expected.n2);
        }
    }

    private record Change(String name, ObjectChange<? extends ClusterObject> change) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Change> CHANGES = List.of(
            new Change("a node is added", ObjectChange.added(NODE2)),
            new Change(
                    "a node has other labels",
                    ObjectChange.updated(
                            NODE2, Nodes.named("n2").label("zone", "a").build())),
            new Change(
                    "a node has other resources",
                    ObjectChange.updated(
                            NODE2, Nodes.named("n2").allocatable("cpu", "9").build())),
            new Change("a device class is added", ObjectChange.added(GPU)),
            new Change("a slice is added", ObjectChange.added(SLICE)),
            new Change("a slice is updated", ObjectChange.updated(slice("s", "devices: []"), SLICE)));

    @ParameterizedTest
    @FieldSource("CHANGES")
    void requeuesAPodAfterAChangeOfTheCluster(Change change) {
        TESTER.cluster(claim("c", requests(exactly("r", "count: 3"))))
                .pod(naming("c"))
                .hint(change.change, Hint.QUEUE);
    }

    @Test
    void triesAPodAgainWhenARuleNoLongerTaintsItsDevices() {
        String rule = "{apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: worn},"
                + " spec: {deviceSelector: {driver: gpu.example.com}, taint: {key: worn, effect: %s}}}";
        List<ClusterObject> objects = List.of(
                Nodes.named("n1").allocatable("cpu", "1").build(),
                GPU,
                SLICE,
                object(rule.formatted("NoSchedule")),
                claim("c", requests(exactly("r", ""))),
                naming("c"));
        FeatureGates rules = FeatureGates.DEFAULTS.with(FeatureGates.DRA_DEVICE_TAINT_RULES, true);
        try (DraScheduler scheduler = new DraScheduler(rules, objects)) {
            assertThat(scheduler.scheduleNext().outcome()).isEqualTo(Decision.Outcome.UNSCHEDULABLE);
            scheduler.cluster().apply(object(rule.formatted("None")));
            assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
        }
        FeatureGates off = FeatureGates.DEFAULTS.with(FeatureGates.DRA_DEVICE_TAINT_RULES, false);
        try (DraScheduler scheduler = new DraScheduler(off, objects)) {
            // While the feature is off, rules do not count.
            assertThat(scheduler.scheduleNext().nodeName()).isEqualTo("n1");
        }
    }

    /** Filter may be asked at any time, also after PostFilter, and in any order. */
    @Nested
    class FilterAtAnyTime {
        private final ClusterObject shared = slice(
                "s", "allNodes: true, devices: [{name: a, allowMultipleAllocations: true, capacity: {m: {value: 1}}}]");

        private List<List<String>> rounds(Pod pod, ResourceClaim... claims) {
            AskingAgain again = new AskingAgain();
            PluginTester tester = PluginTester.of(DynamicResources.factory())
                    .cluster(NODE1, NODE2, GPU, shared)
                    .cluster(claims)
                    .beside(again);
            try (TestScheduler scheduler = tester.start()) {
                again.asked = () -> scheduler.plugin(DynamicResources.class);
                scheduler.scheduler().evaluate(pod);
            }
            assertThat(again.rounds).hasSize(4);
            return again.rounds;
        }

        @Test
        void givesTheSameAnswersAndAllocations() {
            List<List<String>> rounds =
                    rounds(naming("c"), claim("c", requests(exactly("r", "capacity: {requests: {m: 1}}"))));
            assertThat(rounds.get(0)).allSatisfy(answer -> assertThat(answer).contains("shareId="));
            assertThat(rounds).containsOnly(rounds.get(0));
        }

        @Test
        void givesTheSameAnswersAfterPostFilter() {
            List<List<String>> rounds = rounds(naming("c"), availableOn("n3", "c", ""));
            assertThat(rounds.get(0)).allSatisfy(answer -> assertThat(answer).contains(NOT_AVAILABLE.message()));
            assertThat(rounds).containsOnly(rounds.get(0));
        }

        // NodeAffinity rejects the nodes, so a cycle does not ask DynamicResources about them. Who
        // explains asks all filters.
        @Test
        void doesNotChangeWhatPostFilterSays() {
            Pod pod = Pods.named("p")
                    .uid("p")
                    .nodeSelector("zone", "nowhere")
                    .resourceClaim(new PodSpec.ResourceClaim("c", "c", ""))
                    .build();
            try (DraScheduler scheduler = DraScheduler.of(NODE1, NODE2, GPU, availableOn("n3", "c", ""))) {
                Evaluation evaluation = scheduler.evaluate(pod);
                assertThat(evaluation.objections().get("n1"))
                        .extracting(PluginStatus::status)
                        .contains(NOT_AVAILABLE);
                scheduler.cluster().apply(pod);
                assertThat(evaluation.postFilter().orElseThrow().status().message())
                        .doesNotContain("deallocation");
                assertThat(scheduler.scheduleNext().message()).doesNotContain("deallocation");
            }
        }
    }

    /** Rejects every node. */
    private static final class RejectingFactory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return "Rejecting";
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public FilterPlugin create(PluginArgs.None args, Handle handle) {
            return new FilterPlugin() {
                @Override
                public String name() {
                    return "Rejecting";
                }

                @Override
                public Status filter(CycleState state, Pod pod, NodeInfo node) {
                    return Status.unschedulable("rejected");
                }
            };
        }
    }

    /** Asks DynamicResources about all nodes again once it has been asked: forth and back, in a fork, and as it is. */
    private static final class AskingAgain implements PreScorePlugin, PostFilterPlugin, PluginFactory<PluginArgs.None> {
        private final List<List<String>> rounds = new ArrayList<>();
        private Supplier<DynamicResources> asked = () -> {
            throw new IllegalStateException("not started");
        };
        private Optional<Handle> handle = Optional.empty();

        @Override
        public String name() {
            return "AskingAgain";
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public AskingAgain create(PluginArgs.None args, Handle given) {
            handle = Optional.of(given);
            return this;
        }

        @Override
        public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
            askAgain(state, pod);
            return Status.success();
        }

        @Override
        public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
            askAgain(state, pod);
            return PostFilterResult.rejected(Status.unschedulable("asked again"));
        }

        private void askAgain(CycleState state, Pod pod) {
            List<NodeInfo> nodes =
                    new ArrayList<>(handle.orElseThrow().snapshot().nodes());
            ask(state, pod, nodes);
            Collections.reverse(nodes);
            ask(state, pod, nodes);
            ask(state.fork(), pod, nodes);
            ask(state, pod, nodes);
        }

        private void ask(CycleState state, Pod pod, List<NodeInfo> nodes) {
            List<String> answers = new ArrayList<>();
            for (NodeInfo node : nodes) {
                Status status = asked.get().filter(state, pod, node);
                answers.add(node.name() + " " + status + " " + state.find(NodeAllocation.KEY, node.name()));
            }
            Collections.sort(answers);
            rounds.add(answers);
        }
    }
}
