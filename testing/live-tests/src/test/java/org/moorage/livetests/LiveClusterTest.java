// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.WatchStatus;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.Waiting;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.ClusterListener;

/** The cluster of the Kubernetes API against a real API server. */
@Tag("live")
class LiveClusterTest {
    private static final ObjectKind<OtherObject> CONFIG_MAP = ObjectKind.other("v1", "ConfigMap", "configmaps", true);

    private static Scene scene;

    private final View view = new View();
    private KubernetesCluster cluster;

    @BeforeAll
    static void start() {
        scene = Scene.open();
        scene.create("""
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "labels": {"zone": "a"}},
                 "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}}""");
    }

    @AfterAll
    static void stop() {
        scene.close();
    }

    @BeforeEach
    void open() {
        cluster = connect();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static KubernetesCluster connect() {
        return new KubernetesCluster(
                new ApiConnection(Optional.of(scene.plane().kubeconfig()), Optional.empty()).open(),
                ClusterSettings.on("host-1"),
                InstantSource.system(),
                new Random(1),
                Thread::new);
    }

    /** The objects as a listener sees them. */
    private static final class View implements ClusterListener {
        private final Map<String, ClusterObject> objects = new ConcurrentHashMap<>();
        private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> all) {
            objects.keySet().removeIf(key -> key.startsWith(kind.kind() + " "));
            all.forEach(object -> applied(kind, object));
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            objects.put(kind.kind() + " " + object.key(), object);
            changes.add("");
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            objects.remove(kind.kind() + " " + object.key());
            changes.add("");
        }

        Pod pod(String name, Predicate<Pod> state) throws InterruptedException {
            await(() -> objects.get("Pod default/" + name) instanceof Pod pod && state.test(pod));
            return (Pod) objects.get("Pod default/" + name);
        }

        void await(BooleanSupplier state) throws InterruptedException {
            while (!state.getAsBoolean()) {
                assertThat(changes.poll(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .as("a further change; known: %s", objects.keySet())
                        .isNotNull();
            }
        }
    }

    private void watch() {
        cluster.watch(
                Set.of(ObjectKind.POD, ObjectKind.NODE, ObjectKind.NAMESPACE), Set.of(KeptJson.PENDING_PODS), view);
    }

    private static void createPod(String name) {
        scene.create("""
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default"},
                 "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}]}}""".formatted(name));
    }

    @Test
    void reportsExistingAndNewObjects() throws InterruptedException {
        createPod("before");
        watch();
        assertThat(view.objects).containsKeys("Namespace default", "Namespace kube-system", "Pod default/before");
        Node node = (Node) view.objects.get("Node node-1");
        assertThat(node.labels()).containsEntry("zone", "a");
        assertThat(node.allocatable()).containsEntry("memory", Quantity.parse("32Gi"));

        createPod("after");

        Pod pod = view.pod("after", found -> true);
        assertThat(pod.spec().containers().get(0).requests()).isEqualTo(Map.of("cpu", Quantity.parse("100m")));
        assertThat(pod.json().orElseThrow()).contains("\"image\":\"i\"").doesNotContain("managedFields");
        assertThat(pod.spec()).isSameAs(view.pod("before", found -> true).spec());
    }

    @Test
    void bindsAPodOnce() throws InterruptedException {
        watch();
        createPod("bound");
        Pod pod = view.pod("bound", found -> true);

        cluster.bind(pod, "node-1");

        assertThat(view.pod("bound", Pod::isBound).nodeName()).isEqualTo("node-1");
        assertThatThrownBy(() -> cluster.bind(pod, "node-1"))
                .isInstanceOfSatisfying(
                        ClusterException.class,
                        failure -> assertThat(failure.httpStatus()).isEqualTo(409))
                .hasMessageStartingWith("bind default/bound to node-1: 409 Conflict: ")
                .hasMessageContaining("already assigned to node \"node-1\"");
    }

    @Test
    void doesNotBindAnotherPodOfTheName() throws InterruptedException {
        watch();
        createPod("replaced");
        Pod former = withUid(view.pod("replaced", found -> true), "00000000-0000-0000-0000-000000000000");

        assertThatThrownBy(() -> cluster.bind(former, "node-1")).isInstanceOf(ClusterException.class);
        assertThatThrownBy(() -> cluster.patchStatus(former, Optional.empty(), Nomination.to("node-1")))
                .isInstanceOf(ClusterException.class);
        assertThatCode(() -> cluster.delete(former)).doesNotThrowAnyException();

        JsonNode pod = scene.pod("replaced");
        assertThat(pod.at("/spec").has("nodeName")).isFalse();
        assertThat(pod.at("/status").has("nominatedNodeName")).isFalse();
    }

    private static Pod withUid(Pod pod, String uid) {
        ObjectMeta metadata = pod.metadata().toBuilder().uid(uid).build();
        return pod.withMetadata(metadata);
    }

    @Test
    void showsWhyAPodWaitsAndWhereItMayGo() throws InterruptedException {
        watch();
        createPod("waiting");
        Pod pod = view.pod("waiting", found -> true);

        cluster.patchStatus(
                pod,
                Optional.of(new PodCondition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available", 1)),
                Nomination.to("node-1"));

        Pod patched = view.pod(
                "waiting", found -> found.status().condition("PodScheduled").isPresent());
        assertThat(patched.status().condition("PodScheduled"))
                .contains(new PodCondition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available", 1));
        assertThat(patched.status().nominatedNodeName()).isEqualTo("node-1");
        JsonNode first = scene.pod("waiting").at("/status/conditions/0");
        assertThat(first.path("lastTransitionTime").asText()).isNotEmpty();

        cluster.patchStatus(
                patched,
                Optional.of(new PodCondition("PodScheduled", "False", "Unschedulable", "0/2 nodes are available", 1)),
                Nomination.clear());

        JsonNode status = scene.pod("waiting").path("status");
        assertThat(status.path("conditions")).hasSize(1);
        assertThat(status.at("/conditions/0/message").asText()).isEqualTo("0/2 nodes are available");
        assertThat(status.at("/conditions/0/lastTransitionTime")).isEqualTo(first.path("lastTransitionTime"));
        assertThat(status.has("nominatedNodeName")).isFalse();
    }

    @Test
    void deletesAPodAndIsContentIfItIsGone() throws InterruptedException {
        watch();
        createPod("doomed");
        Pod pod = view.pod("doomed", found -> true);

        cluster.delete(pod);

        view.await(() -> !view.objects.containsKey("Pod default/doomed"));
        assertThatCode(() -> cluster.delete(pod)).doesNotThrowAnyException();
    }

    @Test
    void patchesAnObjectOfAKindWithoutAType() {
        scene.create("""
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"},
                 "data": {"kept": "yes", "removed": "soon"}}""");
        ObjectKind<OtherObject> kind = ObjectKind.other("v1", "ConfigMap", "configmaps", true);

        OtherObject written = cluster.patch(
                kind, "default", "settings", MergePatch.of("{\"data\":{\"added\":\"too\",\"removed\":null}}"));

        assertThat(written.json()).contains("\"data\":{\"added\":\"too\",\"kept\":\"yes\"}");
    }

    @Test
    void bindsAVolumeAndSelectsTheNodeOfAClaimInTheVersionsThatAreKnown() throws InterruptedException {
        scene.create("""
                {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"},
                 "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}}""");
        scene.create("""
                {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
                 "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "none",
                          "resources": {"requests": {"storage": "1Gi"}}}}""");
        cluster.watch(Set.of(ObjectKind.PERSISTENT_VOLUME, ObjectKind.PERSISTENT_VOLUME_CLAIM), KeptJson.NONE, view);
        PersistentVolume disk = (PersistentVolume) view.objects.get("PersistentVolume disk");
        PersistentVolumeClaim data = (PersistentVolumeClaim) view.objects.get("PersistentVolumeClaim default/data");

        PersistentVolume bound = cluster.volumes().bind(disk, data);
        PersistentVolumeClaim selected = cluster.volumes().selectNode(data, "node-1");

        assertThat(bound.claim()).contains(PersistentVolume.ClaimReference.to(data));
        assertThat(bound.metadata().annotations()).containsEntry(PersistentVolume.BOUND_BY_CONTROLLER, "yes");
        assertThat(selected.selectedNode()).contains("node-1");
        view.await(() -> view.objects.get("PersistentVolume disk") instanceof PersistentVolume seen
                && seen.claim().isPresent());
        assertThatThrownBy(() -> cluster.volumes().bind(disk, data)).matches(LiveClusterTest::isConflict);
        assertThatThrownBy(() -> cluster.volumes().selectNode(data, "node-2")).matches(LiveClusterTest::isConflict);
    }

    private static boolean isConflict(Throwable thrown) {
        return thrown instanceof ClusterException failure && failure.isConflict();
    }

    @Test
    void allocatesReservesAndDeallocatesAClaim() throws InterruptedException {
        scene.create("""
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                 "metadata": {"name": "gpu", "namespace": "default"},
                 "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}""");
        createPod("first");
        createPod("second");
        cluster.watch(Set.of(ObjectKind.POD, ObjectKind.RESOURCE_CLAIM), KeptJson.NONE, view);
        Pod first = view.pod("first", found -> true);
        Pod second = view.pod("second", found -> true);
        ResourceClaim known = (ResourceClaim) view.objects.get("ResourceClaim default/gpu");
        DeviceAllocation allocation = new DeviceAllocation(
                List.of(new DeviceAllocation.Result(
                        "r",
                        "gpu.example.com",
                        "pool",
                        "gpu-0",
                        false,
                        List.of(),
                        List.of(),
                        List.of(),
                        "",
                        Map.of(),
                        List.of())),
                List.of(),
                Optional.of(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(), List.of(new NodeSelector.Requirement("metadata.name", "In", List.of("node-1"))))))),
                Optional.empty());
        ResourceClaimWriter writer = cluster.resourceClaims();

        ResourceClaim allocated =
                writer.allocate(writer.addFinalizer(known), allocation, ResourceClaim.Consumer.of(first));
        ResourceClaim shared = writer.reserve(known, ResourceClaim.Consumer.of(second));

        assertThat(allocated.finalizers()).contains(ResourceClaim.FINALIZER);
        assertThat(allocated.allocation()).contains(allocation);
        assertThat(shared.reservedFor())
                .containsExactlyInAnyOrder(ResourceClaim.Consumer.of(first), ResourceClaim.Consumer.of(second));
        assertThat(writer.unreserve(shared, ResourceClaim.Consumer.of(first)).reservedFor())
                .containsExactly(ResourceClaim.Consumer.of(second));
        assertThatThrownBy(() -> writer.deallocate(shared)).matches(LiveClusterTest::isConflict);

        ResourceClaim deallocated = writer.deallocate(writer.unreserve(known, ResourceClaim.Consumer.of(second)));

        assertThat(deallocated.allocation()).isEmpty();
        assertThat(deallocated.reservedFor()).isEmpty();
        assertThat(writer.removeFinalizer(known).finalizers()).isEmpty();
        ResourceClaim created = writer.createForExtendedResources(first, List.of(DeviceRequest.of("r", "gpu", 1)));
        assertThat(created.isForExtendedResourcesOf(first)).isTrue();
        assertThat(created.name()).startsWith("first-extended-resources-");
    }

    @Test
    void reportsEventsThatBecomeASeries() throws InterruptedException {
        watch();
        createPod("eventful");
        Pod pod = view.pod("eventful", found -> true);
        ObjectKind<OtherObject> kind = ObjectKind.other("events.k8s.io/v1", "Event", "events", true);
        View events = new View();
        try (KubernetesCluster other = connect()) {
            other.watch(Set.of(kind), KeptJson.NONE, events);

            for (int i = 0; i < 2; i++) {
                cluster.report(PodEvent.warning(pod, "FailedScheduling", "Scheduling", "0/1 nodes")
                        .withRelated(pod));
            }

            events.await(() -> events.objects.values().stream()
                    .anyMatch(event -> ((OtherObject) event).json().contains("\"series\":{\"count\":2")));
        }
        JsonNode event = scene.api().items(ApiAccess.EVENTS).get(0);
        assertThat(event.path("reportingController").asText()).isEqualTo("default-scheduler");
        assertThat(event.path("reportingInstance").asText()).isEqualTo("default-scheduler-host-1");
        assertThat(event.at("/regarding/name").asText()).isEqualTo("eventful");
        assertThat(event.path("note").asText()).isEqualTo("0/1 nodes");
        assertThat(scene.plane().kubectl("describe", "pod", "eventful"))
                .contains("FailedScheduling")
                .contains("0/1 nodes");
    }

    @Test
    void listsMoreThanAPage() {
        String items = IntStream.range(0, 1100)
                .mapToObj(
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"map-%d\"}}"::formatted)
                .collect(Collectors.joining(","));
        scene.create("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + items + "]}");

        cluster.watch(Set.of(CONFIG_MAP), KeptJson.NONE, view);

        assertThat(view.objects.keySet().stream().filter(key -> key.startsWith("ConfigMap default/map-")))
                .hasSize(1100);
    }

    @Test
    void continuesAfterAnOutage() throws InterruptedException {
        watch();

        scene.plane().restartApiServer();
        createPod("survivor");

        Pod pod = view.pod("survivor", found -> true);
        cluster.bind(pod, "node-1");
        assertThat(view.pod("survivor", Pod::isBound).nodeName()).isEqualTo("node-1");
    }

    @Test
    void doesWithoutAKindUntilItIsThere() throws InterruptedException {
        ObjectKind<?> missing = ObjectKind.other("example.com/v1", "Ship", "ships", true);

        cluster.watch(Set.of(ObjectKind.NODE, missing), KeptJson.NONE, view);

        assertThat(cluster.watchStatuses())
                .extracting(status -> status.kind() + " " + status.condition())
                .containsExactlyInAnyOrder("v1 Node SYNCED", "example.com/v1 Ship NOT_SERVED");
        scene.create("""
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "ships.example.com"},
                 "spec": {"group": "example.com", "scope": "Namespaced",
                          "names": {"plural": "ships", "kind": "Ship", "listKind": "Fleet"},
                          "versions": [{"name": "v1", "served": true, "storage": true, "schema":
                              {"openAPIV3Schema": {"type": "object"}}}]}}""");
        List<WatchStatus> ignored = scene.await(
                "all kinds are watched",
                () -> List.copyOf(cluster.watchStatuses()),
                statuses -> statuses.stream()
                        .allMatch(status -> status.isReady() && status.note().isEmpty()));
    }
}
