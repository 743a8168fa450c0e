// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.Toleration;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.decode.ObjectDecoder;
import org.moorage.simulation.cluster.InMemoryCluster;

class NewPodsTest {
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS, true);

    private static final String GOLD = """
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gold"}, "value": 100}""";
    private static final String LIMITS = """
            {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "team"},
             "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "defaultRequest": {"cpu": "250m"}},
              {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}]}}""";
    private static final String VM = """
            {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "vm"}, "handler": "vm",
             "overhead": {"podFixed": {"memory": "1Gi"}}}""";
    private static final String FAST = """
            {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast",
             "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "p"}""";
    private static final String GPUS = """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "gpus", "namespace": "team"},
             "spec": {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}}""";
    private static final String LEAVING = """
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}, "status": {"phase": "Terminating"}}""";

    private static String pod(String spec) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team"},
                 "spec": {"containers": [{"name": "c", "image": "i"}]%s}}""".formatted(spec.isEmpty() ? "" : ", " + spec);
    }

    private static String ephemeral(String storage) {
        return pod("""
                "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"],
                 "resources": {"requests": {"storage": "%s"}}}}}}]""".formatted(storage));
    }

    private static final String WITH_DEVICE =
            pod("\"resourceClaims\": [{\"name\": \"gpu\", \"resourceClaimTemplateName\": \"gpus\"}]");

    private static NewPods after(String... objects) {
        NewPods newPods = new NewPods();
        Stream.of(objects).forEach(newPods::seen);
        return newPods;
    }

    @Test
    void givesThePodWhatSchedulingReads() {
        Pod pod = after(GOLD, LIMITS, VM)
                .admit(pod("\"priorityClassName\": \"gold\", \"runtimeClassName\": \"vm\""))
                .pod();

        assertThat(pod.spec().priority()).isEqualTo(100);
        assertThat(pod.spec().containers().get(0).requests()).containsEntry("cpu", Quantity.parse("250m"));
        assertThat(pod.spec().overhead()).containsEntry("memory", Quantity.parse("1Gi"));
        assertThat(pod.spec().tolerations())
                .contains(new Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute"));
        assertThat(pod.spec().schedulerName()).isEqualTo("default-scheduler");
        assertThat(pod.uid()).isNotEmpty();
    }

    @Test
    void readsTheObjectsOfASource() {
        ObjectDecoder decoder = new ObjectDecoder();
        InMemoryCluster cluster = InMemoryCluster.of(List.of(decoder.decode(GOLD), decoder.decode(VM)));
        NewPods newPods = new NewPods();
        newPods.watch(cluster);
        String gold = pod("\"priorityClassName\": \"gold\"");
        assertThat(newPods.admit(gold).pod().spec().priority()).isEqualTo(100);

        cluster.apply(decoder.decode(GOLD.replace("100", "\"much\"")));
        assertThat(newPods.admit(gold).pod().spec().priority()).isEqualTo(100);
        cluster.apply(decoder.decode(GOLD.replace("100", "200")));
        assertThat(newPods.admit(gold).pod().spec().priority()).isEqualTo(200);

        cluster.remove(decoder.decode(GOLD));
        assertThatThrownBy(() -> newPods.admit(gold)).isInstanceOf(ObjectRefusedException.class);
        assertThat(newPods.admit(pod("\"runtimeClassName\": \"vm\""))
                        .pod()
                        .spec()
                        .overhead())
                .isNotEmpty();
    }

    @Test
    void forgetsWhatANewListDoesNotHave() {
        NewPods newPods = after();
        AdmissionObjects listener = new AdmissionObjects(newPods);
        OtherObject gold = (OtherObject) new ObjectDecoder().decode(GOLD);
        listener.replaced(gold.kind(), List.of(gold));
        String pod = pod("\"priorityClassName\": \"gold\"");
        assertThat(newPods.admit(pod).pod().spec().priority()).isEqualTo(100);

        listener.replaced(gold.kind(), List.of());

        assertThatThrownBy(() -> newPods.admit(pod)).isInstanceOf(ObjectRefusedException.class);
    }

    record Refusal(String name, List<String> seen, String pod, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refusal> refusals() {
        return Stream.of(
                new Refusal(
                        "a class that is not there",
                        List.of(),
                        pod("\"priorityClassName\": \"gold\""),
                        "pods \"p\" is forbidden: no PriorityClass with name gold was found"),
                new Refusal(
                        "a limit above the maximum",
                        List.of(LIMITS),
                        pod("").replace("\"i\"", "\"i\", \"resources\": {\"limits\": {\"cpu\": 2}}"),
                        "pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is 2"),
                new Refusal(
                        "a request above the limit that is the default",
                        List.of(LIMITS),
                        pod("").replace("\"i\"", "\"i\", \"resources\": {\"requests\": {\"cpu\": 2}}"),
                        "Pod \"p\" is invalid: spec.containers[0].resources.requests: Invalid value: \"2\": must be less"
                                + " than or equal to cpu limit of 1"),
                new Refusal(
                        "a namespace that is being terminated",
                        List.of(LEAVING),
                        pod(""),
                        "pods \"p\" is forbidden: unable to create new content in namespace team because it is being"
                                + " terminated"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesAsTheApiServerDoes(Refusal given) {
        NewPods newPods = after(given.seen.toArray(String[]::new));

        assertThatThrownBy(() -> newPods.admit(given.pod))
                .isInstanceOf(ObjectRefusedException.class)
                .hasMessage(given.message);
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void forgetsWhatIsGone(Refusal given) {
        NewPods newPods = after(given.seen.toArray(String[]::new));
        newPods.seen(GOLD);

        given.seen.forEach(newPods::gone);

        assertThat(newPods.admit(given.pod).pod().name()).isEqualTo("p");
    }

    @Test
    void takesChangesOfObjects() {
        NewPods newPods = after(GOLD, LIMITS, GOLD.replace("100", "7"), LIMITS.replace("250m", "100m"));

        Pod pod = newPods.admit(pod("\"priorityClassName\": \"gold\"")).pod();

        assertThat(pod.spec().priority()).isEqualTo(7);
        assertThat(pod.spec().containers().get(0).requests()).containsEntry("cpu", Quantity.parse("100m"));
    }

    @Test
    void createsPodsOfTemplatesWithDistinctNames() {
        NewPods newPods = new NewPods();
        Map<String, ?> template = Map.of(
                "metadata",
                Map.of("labels", Map.of("app", "web")),
                "spec",
                Map.of("containers", List.of(Map.of("name", "c", "image", "i"))));

        Pod first = newPods.admit(template).pod();
        Pod second = newPods.admit(template).pod();

        assertThat(first.name()).startsWith("pod-").isNotEqualTo(second.name());
        assertThat(first.uid()).isNotEqualTo(second.uid());
        assertThat(first.metadata().namespace()).isEqualTo("default");
        assertThat(first.labels()).containsEntry("app", "web");
        assertThat(first.spec()).isSameAs(second.spec());
    }

    @Test
    void takesNothingOverThatOnlyServersAndSchedulersWrite() {
        Pod pod = new NewPods()
                .admit(pod("").replace(
                                "\"name\": \"p\",",
                                "\"name\": \"p\", \"uid\": \"u\", \"deletionTimestamp\":"
                                        + " \"2026-01-01T00:00:00Z\",")
                        .replace("\"spec\"", "\"status\": {\"phase\": \"Running\"}, \"spec\""))
                .pod();

        assertThat(pod.uid()).isNotEqualTo("u");
        assertThat(pod.metadata().isDeleting()).isFalse();
        assertThat(pod.status()).isEqualTo(PodStatus.builder().build());
    }

    @Test
    void givesTheClaimsOfEphemeralVolumes() {
        AdmittedPod admitted = after(FAST, LIMITS).admit(ephemeral("1Gi"));

        assertThat(admitted.claims()).singleElement().isInstanceOfSatisfying(PersistentVolumeClaim.class, claim -> {
            assertThat(claim.key()).isEqualTo("team/p-v");
            assertThat(claim.storageClassName()).isEqualTo("fast");
            assertThat(claim.isCreatedFor(admitted.pod())).isTrue();
        });
        assertThat(admitted.refusedClaims()).isEmpty();
    }

    @Test
    void reportsWhyAClaimWouldBeRejected() {
        AdmittedPod admitted = after(LIMITS).admit(ephemeral("2Gi"));

        assertThat(admitted.claims()).isEmpty();
        assertThat(admitted.refusedClaims())
                .containsExactly("persistentvolumeclaims \"p-v\" is forbidden: maximum storage usage per"
                        + " PersistentVolumeClaim is 1Gi, but request is 2Gi");
    }

    @Test
    void givesNoClaimThatIsThere() {
        String claim = """
                {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "p-v", "namespace": "team"}}""";
        NewPods newPods = after(claim);

        assertThat(newPods.admit(ephemeral("1Gi")).claims()).isEmpty();

        newPods.gone(claim);
        assertThat(newPods.admit(ephemeral("1Gi")).claims()).hasSize(1);
    }

    @Test
    void givesTheClaimsOfTemplates() {
        AdmittedPod admitted = after(GPUS).admit(WITH_DEVICE);

        assertThat(admitted.claims()).extracting(ClusterObject::key).containsExactly("team/p-gpu");
        assertThat(admitted.pod().status().resourceClaimStatuses())
                .containsExactly(new PodStatus.ClaimStatus("gpu", "p-gpu"));
        assertThat(new NewPods().admit(WITH_DEVICE).claims()).isEmpty();
    }

    @Test
    void givesPodsOfAGroupItsClaims() {
        NewPods newPods = new NewPods(GROUPS);
        newPods.seen(GPUS);
        newPods.seen("""
                {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "team", "uid": "v"},
                 "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]}}""");
        String member = WITH_DEVICE.replace(
                "\"resourceClaims\"", "\"schedulingGroup\": {\"podGroupName\": \"g\"}, \"resourceClaims\"");

        AdmittedPod first = newPods.admit(member);
        AdmittedPod copy = first.copy(1);

        assertThat(first.claims()).extracting(ClusterObject::key).containsExactly("team/g-gpu");
        assertThat(copy.claims()).isEqualTo(first.claims());
        assertThat(copy.pod().status()).isEqualTo(first.pod().status());
        assertThat(newPods.admit(member).claims()).isEqualTo(first.claims());
    }

    @Test
    void makesCopiesThatShareTheSpecification() {
        AdmittedPod admitted = after(FAST, GPUS)
                .admit(ephemeral("1Gi")
                        .replace(
                                "\"volumes\"",
                                "\"resourceClaims\": [{\"name\": \"gpu\","
                                        + " \"resourceClaimTemplateName\": \"gpus\"}], \"volumes\""));
        Set<String> uids = new HashSet<>(List.of(admitted.pod().uid()));

        for (int i = 0; i < 1000; i++) {
            AdmittedPod copy = admitted.copy(i);

            assertThat(uids.add(copy.pod().uid())).isTrue();
            assertThat(copy.pod().name()).isEqualTo("p-" + i);
            assertThat(copy.pod().spec()).isSameAs(admitted.pod().spec());
            assertThat(copy.claims())
                    .extracting(ClusterObject::name)
                    .containsExactly("p-" + i + "-v", "p-" + i + "-gpu");
            assertThat(((PersistentVolumeClaim) copy.claims().get(0)).isCreatedFor(copy.pod()))
                    .isTrue();
            assertThat(copy.pod().status().resourceClaimStatuses())
                    .containsExactly(new PodStatus.ClaimStatus("gpu", "p-" + i + "-gpu"));
            assertThat(((ResourceClaim) copy.claims().get(1)).requests())
                    .isEqualTo(((ResourceClaim) admitted.claims().get(1)).requests());
        }
    }

    record Malformed(String name, String pod, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Malformed> malformed() {
        return Stream.of(
                new Malformed("no JSON", "{", "JSON: "),
                new Malformed("another kind", GOLD, "PriorityClass gold: kind: \"PriorityClass\" (expected: Pod)"),
                new Malformed(
                        "a spec that is no object",
                        "{\"metadata\": {\"name\": \"p\"}, \"spec\": 3}",
                        "Pod default/p: spec: 3 (expected: an object)"),
                new Malformed(
                        "a quantity that is none",
                        pod("\"overhead\": {\"cpu\": \"x\"}"),
                        "Pod team/p: spec.overhead.cpu: \"x\" (expected: a quantity such as 2, 500m or 1536Mi)"),
                new Malformed(
                        "a value that only decoding reads",
                        pod("\"hostNetwork\": 3"),
                        "Pod team/p: spec.hostNetwork: 3 (expected: true or false)"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void saysWhatIsMalformed(Malformed given) {
        assertThatThrownBy(() -> new NewPods().admit(given.pod))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessageStartingWith(given.message);
    }

    @Test
    void keepsWhatItKnowsWhenAChangeIsMalformed() {
        NewPods newPods = after(GOLD);

        assertThatThrownBy(() -> newPods.seen(GOLD.replace("100", "\"high\"")))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessage("PriorityClass gold: value: \"high\" (expected: a whole number of 32 bits)");
        assertThat(newPods.admit(pod("\"priorityClassName\": \"gold\""))
                        .pod()
                        .spec()
                        .priority())
                .isEqualTo(100);
    }

    @Test
    void answersSeveralThreadsWhileObjectsComeAndGo() throws ExecutionException, InterruptedException {
        NewPods newPods = after(GOLD, GPUS);
        String asked = WITH_DEVICE.replace("\"resourceClaims\"", "\"priorityClassName\": \"gold\", \"resourceClaims\"");
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                running.add(threads.submit(() -> {
                    for (int i = 0; i < 500; i++) {
                        AdmittedPod admitted = newPods.admit(asked);
                        assertThat(admitted.pod().spec().priority()).isEqualTo(100);
                        assertThat(admitted.claims()).hasSize(1);
                    }
                }));
            }
            for (int i = 0; i < 500; i++) {
                newPods.seen(LIMITS);
                newPods.seen(FAST);
                newPods.gone(LIMITS);
                newPods.gone(FAST);
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
