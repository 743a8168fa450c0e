// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.DeviceCounts;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.objects.ObjectDecoder;
import org.moorage.objects.ObjectStreams;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.Defaulting;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class DynamicResourcesTest {
    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
             "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "10"}}}""";
    private static final String CLASS = """
            {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
             "spec": {"extendedResourceName": "example.com/gpu",
                      "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}],
                      "config": [{"opaque": {"driver": "gpu.example.com", "parameters": {"mode": "fast"}}}]}}""";
    private static final String SLICE = """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
             "spec": {"driver": "gpu.example.com", "nodeName": "n1",
                      "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                      "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}]}}""";

    private static ClusterObject object(String json) {
        try {
            ObjectNode tree = ObjectStreams.object(json);
            Defaulting.apply(tree);
            return new ObjectDecoder().decode(tree);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ClusterObject claim(String name, String more) {
        return object("""
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                 "metadata": {"name": "%s", "namespace": "default", "uid": "%s"},
                 "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}%s}""".formatted(name, name, more));
    }

    private static Pod pod(String name, String claim) {
        return Pods.named(name)
                .uid(name)
                .resourceClaim(new PodSpec.ResourceClaim("g", claim, ""))
                .build();
    }

    private static ResourceClaim claim(InMemoryCluster cluster, String name) {
        return cluster.find(ObjectKind.RESOURCE_CLAIM, "default", name).orElseThrow();
    }

    private static Scheduler scheduler(InMemoryCluster cluster) {
        return scheduler(cluster, FeatureGates.DEFAULTS);
    }

    private static Scheduler scheduler(InMemoryCluster cluster, FeatureGates features) {
        List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
        factories.add(DynamicResources.factory());
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry, features), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build();
        scheduler.start();
        return scheduler;
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(DynamicResources.factory());
    }

    @ParameterizedTest
    @CsvSource({"0, 1, ''", "-1, 1, filterTimeout", "10, 0, bindingTimeout"})
    void checksItsArguments(long filterSeconds, long bindingSeconds, String wrong) {
        Problems problems = Problems.collector();
        args(Duration.ofSeconds(filterSeconds), Duration.ofSeconds(bindingSeconds))
                .validate(problems);
        assertThat(problems.all())
                .extracting(Problems.Problem::path)
                .isEqualTo(wrong.isEmpty() ? List.of() : List.of(wrong));
    }

    private static DynamicResources.Args args(Duration filterTimeout, Duration bindingTimeout) {
        return new DynamicResources.Args(Optional.of(filterTimeout), Optional.of(bindingTimeout));
    }

    @Nested
    class WithFeatures {
        private static final FeatureGates OFF = FeatureGates.DEFAULTS
                .with(FeatureGates.DRA_SCHEDULER_FILTER_TIMEOUT, false)
                .with(FeatureGates.DRA_DEVICE_BINDING_CONDITIONS, false);
        private static final String RULE = """
                {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "metadata": {"name": "worn"},
                 "spec": {"deviceSelector": {"driver": "gpu.example.com"}, "taint": {"key": "worn", "effect": "%s"}}}""";

        @Test
        void argumentsHaveTheirDefaults() {
            Problems problems = Problems.collector();
            assertThat(DynamicResources.Args.DEFAULTS.forFeatures(FeatureGates.DEFAULTS, problems))
                    .isEqualTo(args(Duration.ofSeconds(10), Duration.ofMinutes(10)));
            assertThat(DynamicResources.Args.DEFAULTS.forFeatures(OFF, problems))
                    .isEqualTo(DynamicResources.Args.DEFAULTS);
            assertThat(problems.all()).isEmpty();
        }

        @Test
        void argumentsAreRefusedWhoseFeatureIsOff() {
            Problems problems = Problems.collector();
            args(Duration.ofSeconds(-1), Duration.ofMinutes(1)).forFeatures(OFF, problems);
            assertThat(problems.all())
                    .extracting(Problems.Problem::toString)
                    .containsExactly(
                            "filterTimeout: -1s (expected: nothing, DRASchedulerFilterTimeout is off)",
                            "bindingTimeout: 1m (expected: nothing, DRADeviceBindingConditions or"
                                    + " DRAResourceClaimDeviceStatus is off)");
        }

        @Test
        void rulesThatAreOffAreNotEvenAskedFor() {
            InMemoryCluster cluster = InMemoryCluster.of(List.of(
                    object(NODE),
                    object(CLASS),
                    object(SLICE),
                    object(RULE.formatted("NoSchedule")),
                    claim("c", ""),
                    pod("p", "c")));
            try (Scheduler scheduler = scheduler(cluster)) {
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
            }
        }

        @Test
        void aPodIsTriedAgainWhenARuleNoLongerTaintsItsDevices() {
            InMemoryCluster cluster = InMemoryCluster.of(List.of(
                    object(NODE),
                    object(CLASS),
                    object(SLICE),
                    object(RULE.formatted("NoSchedule")),
                    claim("c", ""),
                    pod("p", "c")));
            FeatureGates rules = FeatureGates.DEFAULTS.with(FeatureGates.DRA_DEVICE_TAINT_RULES, true);
            try (Scheduler scheduler = scheduler(cluster, rules)) {
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::outcome)
                        .isEqualTo(Decision.Outcome.UNSCHEDULABLE);
                assertThat(scheduler.scheduleNext()).isEmpty();
                cluster.apply(object(RULE.formatted("None")));
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
            }
        }

        @Test
        void nobodyNotesSinceWhenAClaimHasDevicesThatNeedNotBeMadeReady() {
            InMemoryCluster cluster = InMemoryCluster.of(
                    List.of(object(NODE), object(CLASS), object(SLICE), claim("c", ""), pod("p", "c")));
            try (Scheduler scheduler = scheduler(cluster, OFF)) {
                scheduler.scheduleNext();
            }
            assertThat(claim(cluster, "c").allocation().orElseThrow().time()).isEmpty();
        }
    }

    @Nested
    class WithDevicesThatTakeOfTheirNode {
        private static final FeatureGates ON =
                FeatureGates.DEFAULTS.with(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES, true);
        private static final String CORES = """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
                 "spec": {"driver": "gpu.example.com", "nodeName": "n1",
                          "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                          "devices": [{"name": "cores", "allowMultipleAllocations": true, "capacity": {"cores": {"value": "16"}},
                                       "nodeAllocatableResourceMappings": {
                                           "cpu": {"capacityKey": "cores", "allocationMultiplier": "500m"},
                                           "memory": {"allocationMultiplier": "1Gi"}}}]}}""";

        private static ClusterObject wanting(String name, int cores) {
            return object("""
                    {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                     "metadata": {"name": "%s", "namespace": "default", "uid": "%s"},
                     "spec": {"devices": {"requests": [{"name": "r", "exactly": {
                         "deviceClassName": "gpu", "capacity": {"requests": {"cores": "%d"}}}}]}}}""".formatted(name, name, cores));
        }

        private static ClusterObject using(String name, String claim) {
            return object("""
                    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default", "uid": "%s"},
                     "spec": {"resourceClaims": [{"name": "g", "resourceClaimName": "%s"}],
                              "containers": [{"name": "main", "image": "app", "resources": {
                                  "requests": {"cpu": "1"}, "claims": [{"name": "g"}]}}]}}""".formatted(name, name, claim));
        }

        private static Pod pod(InMemoryCluster cluster, String name) {
            return cluster.find(ObjectKind.POD, "default", name).orElseThrow();
        }

        @Test
        void aNodeIsFullOnceClaimsHaveTakenItsCpu() {
            InMemoryCluster cluster = InMemoryCluster.of(List.of(
                    object(NODE),
                    object(CLASS),
                    object(CORES),
                    wanting("c1", 8),
                    wanting("c2", 5),
                    wanting("c3", 4),
                    using("p1", "c1"),
                    using("p2", "c2"),
                    using("p3", "c3")));
            try (Scheduler scheduler = scheduler(cluster, ON)) {
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::message)
                        .asString()
                        .startsWith("0/1 nodes are available: 1 Insufficient cpu.");
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
            }
            PodStatus.NodeResourceClaim taken = new PodStatus.NodeResourceClaim(
                    "c1", List.of("main"), Map.of("cpu", Quantity.of(4), "memory", Quantity.of(1L << 30)));
            Pod first = pod(cluster, "p1");
            assertThat(first.nodeName()).isEqualTo("n1");
            assertThat(first.status().nodeResourceClaims()).containsExactly(taken);
            assertThat(first.requestsWithClaims().milliCpu()).isEqualTo(5000);
            assertThat(first.requests().milliCpu()).isEqualTo(1000);
            assertThat(pod(cluster, "p2").status().nodeResourceClaims()).isEmpty();
            assertThat(pod(cluster, "p3").status().nodeResourceClaims()).hasSize(1);
        }

        @Test
        void aClaimIsForOnePod() {
            InMemoryCluster cluster = InMemoryCluster.of(List.of(
                    object(NODE), object(CLASS), object(CORES), wanting("c", 1), using("p1", "c"), using("p2", "c")));
            try (Scheduler scheduler = scheduler(cluster, ON)) {
                scheduler.scheduleNext();
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::message)
                        .asString()
                        .contains("node allocatable resource claim c is already used by another pod");
            }
        }

        @Test
        void aPodThatIsNotBoundLeavesNothingBehind() {
            String slice =
                    CORES.replace("\"name\": \"cores\",", "\"name\": \"cores\", \"bindingConditions\": [\"ready\"],");
            InMemoryCluster cluster = InMemoryCluster.of(
                    List.of(object(NODE), object(CLASS), object(slice), wanting("c", 14), using("p", "c")));
            List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
            factories.add(DynamicResources.factory());
            PluginRegistry registry = PluginRegistry.of(factories);
            String impatient = """
                    apiVersion: kubescheduler.config.k8s.io/v1
                    kind: KubeSchedulerConfiguration
                    profiles:
                    - pluginConfig:
                      - name: DynamicResources
                        args: {bindingTimeout: 1s}
                    """;
            try (Scheduler scheduler = Scheduler.builder(
                            ConfigLoader.load(impatient, "test.yaml", registry, ON), registry, cluster)
                    .bindingExecutor(Runnable::run)
                    .build()) {
                scheduler.start();
                scheduler.scheduleNext();
            }
            assertThat(pod(cluster, "p").isBound()).isFalse();
            assertThat(pod(cluster, "p").status().nodeResourceClaims()).isEmpty();
            assertThat(claim(cluster, "c").allocation()).isPresent();
            assertThat(claim(cluster, "c").reservedFor()).isEmpty();
        }

        @Test
        void nothingOfThatIsSoWhileTheFeatureIsOff() {
            InMemoryCluster cluster = InMemoryCluster.of(
                    List.of(object(NODE), object(CLASS), object(CORES), wanting("c", 16), using("p", "c")));
            try (Scheduler scheduler = scheduler(cluster)) {
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
            }
            assertThat(pod(cluster, "p").status().nodeResourceClaims()).isEmpty();
        }
    }

    @Nested
    class WhenAPodIsBound {
        @Test
        void theClaimHasItsDeviceAndItsUser() {
            InMemoryCluster cluster = InMemoryCluster.of(
                    List.of(object(NODE), object(CLASS), object(SLICE), claim("c", ""), pod("p", "c")));
            try (Scheduler scheduler = scheduler(cluster)) {
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
            }
            ResourceClaim bound = claim(cluster, "c");
            DeviceAllocation allocation = bound.allocation().orElseThrow();
            assertThat(allocation.results())
                    .extracting(DeviceAllocation.Result::device)
                    .containsExactly("gpu-0");
            assertThat(allocation.config())
                    .extracting(config ->
                            config.config().requests() + config.config().json())
                    .containsExactly(
                            "[r]{\"opaque\":{\"driver\":\"gpu.example.com\",\"parameters\":{\"mode\":\"fast\"}}}");
            assertThat(allocation
                            .nodeSelector()
                            .orElseThrow()
                            .matches(cluster.find(ObjectKind.NODE, "", "n1").orElseThrow()))
                    .isTrue();
            assertThat(allocation.time()).isPresent();
            assertThat(bound.finalizers()).containsExactly(ResourceClaim.FINALIZER);
            assertThat(bound.reservedFor())
                    .extracting(ResourceClaim.Consumer::uid)
                    .containsExactly("p");
        }

        @Test
        void noTwoClaimsHaveOneDevice() {
            InMemoryCluster cluster = InMemoryCluster.of(List.of(object(NODE), object(CLASS), object(SLICE)));
            for (String name : List.of("a", "b", "c")) {
                cluster.apply(claim(name, ""));
                cluster.apply(pod("p-" + name, name));
            }
            List<Decision.Outcome> outcomes = new ArrayList<>();
            try (Scheduler scheduler = scheduler(cluster)) {
                for (int i = 0; i < 3; i++) {
                    outcomes.add(scheduler.scheduleNext().orElseThrow().outcome());
                }
            }
            assertThat(outcomes)
                    .containsExactlyInAnyOrder(
                            Decision.Outcome.SCHEDULED, Decision.Outcome.SCHEDULED, Decision.Outcome.UNSCHEDULABLE);
            assertThat(cluster.all(ObjectKind.RESOURCE_CLAIM))
                    .flatExtracting(claim ->
                            claim.allocation().map(DeviceAllocation::results).orElse(List.of()))
                    .extracting(DeviceAllocation.Result::device)
                    .containsExactlyInAnyOrder("gpu-0", "gpu-1");
        }

        @Test
        void podsShareAClaim() {
            InMemoryCluster cluster = InMemoryCluster.of(
                    List.of(object(NODE), object(CLASS), object(SLICE), claim("c", ""), pod("p", "c"), pod("q", "c")));
            try (Scheduler scheduler = scheduler(cluster)) {
                scheduler.scheduleNext();
                scheduler.scheduleNext();
            }
            assertThat(claim(cluster, "c").reservedFor())
                    .extracting(ResourceClaim.Consumer::uid)
                    .containsExactlyInAnyOrder("p", "q");
        }

        @Test
        void devicesStandInForAnExtendedResource() {
            Pod pod = Pods.named("p")
                    .uid("p")
                    .container("c")
                    .requests("example.com/gpu", "2")
                    .build();
            InMemoryCluster cluster = InMemoryCluster.of(List.of(object(NODE), object(CLASS), object(SLICE), pod));
            try (Scheduler scheduler = scheduler(cluster)) {
                assertThat(scheduler.scheduleNext())
                        .get()
                        .extracting(Decision::nodeName)
                        .isEqualTo("n1");
            }
            assertThat(cluster.all(ObjectKind.RESOURCE_CLAIM)).singleElement().satisfies(made -> {
                assertThat(made.name()).startsWith("p-extended-resources-");
                assertThat(made.isForExtendedResourcesOf(pod)).isTrue();
                assertThat(made.isReservedFor(pod)).isTrue();
                assertThat(made.allocation().orElseThrow().results())
                        .extracting(DeviceAllocation.Result::device)
                        .containsExactly("gpu-0", "gpu-1");
            });
        }
    }

    @Test
    void takesDevicesThatCannotBeReachedFromAClaimThatNobodyUses() {
        String elsewhere = """
                , "status": {"allocation": {"devices": {"results": [
                    {"request": "r", "driver": "gpu.example.com", "pool": "n2", "device": "gpu-0"}]},
                  "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                    {"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}}""";
        InMemoryCluster cluster = InMemoryCluster.of(
                List.of(object(NODE), object(CLASS), object(SLICE), claim("c", elsewhere), pod("p", "c")));
        try (Scheduler scheduler = scheduler(cluster)) {
            scheduler.scheduleNext();
        }
        assertThat(claim(cluster, "c").allocation()).isEmpty();
    }

    private record Early(String name, Pod pod, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Pod fromTemplate(PodStatus.ClaimStatus... made) {
        return Pods.named("p")
                .uid("p")
                .resourceClaim(new PodSpec.ResourceClaim("g", "", "t"))
                .status(status -> status.resourceClaimStatuses(List.of(made)))
                .build();
    }

    static final List<Early> EARLY = List.of(
            new Early("a pod without claims", Pods.named("p").build(), Status.success()),
            new Early("a claim that is there", pod("p", "c"), Status.success()),
            new Early(
                    "a claim that is not there",
                    pod("p", "gone"),
                    Status.unresolvable("could not find ResourceClaim \"default/gone\"")),
            new Early(
                    "a claim that was not made yet",
                    fromTemplate(),
                    Status.unresolvable("pod \"default/p\": ResourceClaim not created yet")),
            new Early("a claim that is not needed", fromTemplate(new PodStatus.ClaimStatus("g", "")), Status.success()),
            new Early(
                    "a claim of somebody else",
                    fromTemplate(new PodStatus.ClaimStatus("g", "c")),
                    Status.unresolvable(
                            "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)")));

    private static final PluginTester PLUGIN = PluginTester.of(DynamicResources.factory());

    @ParameterizedTest
    @FieldSource("EARLY")
    void keepsPodsOutOfTheQueueUntilTheirClaimsAreThere(Early early) {
        PodTester tester = PLUGIN.cluster(claim("c", "")).pod(early.pod);
        if (early.status.isSuccess()) {
            tester.entersQueue();
        } else {
            tester.isGated(early.status);
        }
    }

    private record Change(String name, String before, String after, Hint hint) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String ALLOCATED = ", \"status\": {\"allocation\": {}}";
    static final List<Change> CHANGES = List.of(
            new Change("its claim is given devices", "", ALLOCATED, Hint.QUEUE),
            new Change("its claim changes, but not its status", "", "", Hint.SKIP),
            new Change("its claim loses its devices", ALLOCATED, "", Hint.QUEUE));

    @ParameterizedTest
    @FieldSource("CHANGES")
    void looksAtChangesOfClaims(Change change) {
        PLUGIN.cluster(claim("c", ""))
                .pod(pod("p", "c"))
                .hint(ObjectChange.updated(claim("c", change.before), claim("c", change.after)), change.hint);
    }

    private record Counted(String name, String deviceClass, List<String> slices, DeviceCounts.Count count) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static String slice(String name, String more, String devices) {
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "%s"},
                 "spec": {"driver": "gpu.example.com", "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                          %s, "devices": [%s]}}""".formatted(name, more, devices);
    }

    private static String classOf(String expression) {
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
                 "spec": {"selectors": [{"cel": {"expression": "%s"}}]}}""".formatted(expression);
    }

    private static final String SHARED_DEVICE = "{\"name\": \"gpu-2\", \"allowMultipleAllocations\": true}";
    static final List<Counted> COUNTED = List.of(
            new Counted("the devices of the node", CLASS, List.of(SLICE), new DeviceCounts.Count(2, 1)),
            new Counted(
                    "those of all nodes, too",
                    CLASS,
                    List.of(SLICE, slice("t", "\"allNodes\": true", SHARED_DEVICE)),
                    new DeviceCounts.Count(3, 1)),
            new Counted(
                    "not those of others",
                    CLASS,
                    List.of(slice("t", "\"nodeName\": \"n2\"", SHARED_DEVICE)),
                    DeviceCounts.Count.NONE),
            new Counted(
                    "each by its own node",
                    CLASS,
                    List.of(
                            slice(
                                    "t",
                                    "\"perDeviceNodeSelection\": true",
                                    "{\"name\": \"gpu-0\", \"nodeName\": \"n1\"}, {\"name\": \"gpu-1\", \"nodeName\": \"n2\"}")),
                    new DeviceCounts.Count(1, 1)),
            new Counted("not those of other classes", classOf("false"), List.of(SLICE), DeviceCounts.Count.NONE),
            new Counted(
                    "a class does not learn whether a device can be shared",
                    classOf("device.allowMultipleAllocations"),
                    List.of(slice("t", "\"allNodes\": true", SHARED_DEVICE)),
                    DeviceCounts.Count.NONE),
            new Counted(
                    "none if it cannot be told",
                    classOf("device.attributes['gpu.example.com'].fast"),
                    List.of(SLICE),
                    DeviceCounts.Count.NONE));

    @ParameterizedTest
    @FieldSource("COUNTED")
    void countsDevicesForScores(Counted counted) {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(object(NODE));
        objects.add(claim("c", """
                , "status": {"allocation": {"devices": {"results": [
                    {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"},
                    {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-1", "adminAccess": true}]}}}"""));
        counted.slices.forEach(slice -> objects.add(object(slice)));
        try (TestScheduler scheduler = PLUGIN.cluster(objects).start()) {
            DeviceCounts counts = scheduler.handle().shared(DeviceCounts.SHARED, () -> DeviceCounts.NONE);
            DeviceClass deviceClass = (DeviceClass) object(counted.deviceClass);
            scheduler.inCycle(
                    Pods.named("p").build(),
                    (state, snapshot) -> assertThat(counts.of(deviceClass, snapshot.nodes()))
                            .containsExactly(counted.count));
        }
    }
}
