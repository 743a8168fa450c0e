// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingQueue;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

/** Kinds are read and written in the newest version that the API server serves, also while that changes. */
@Timeout(60)
class ServedVersionsTest {
    private static final String V1 = "resource.k8s.io/v1";
    private static final String V1BETA2 = "resource.k8s.io/v1beta2";
    private static final String V1BETA1 = "resource.k8s.io/v1beta1";
    private static final String V1ALPHA3 = "resource.k8s.io/v1alpha3";
    private static final String GROUPS_V1 = "scheduling.k8s.io/v1";
    private static final String GROUPS_V1BETA1 = "scheduling.k8s.io/v1beta1";
    private static final RetryBackoff FAST = new RetryBackoff(Duration.ofMillis(5), Duration.ofMillis(20));
    private static final Pod WEB = Pod.of(
            ObjectMeta.named("web").namespace("default").uid("u1").build(),
            PodSpec.builder().build());
    private static final ResourceClaim GPU = ResourceClaim.of(
            ObjectMeta.named("gpu").namespace("default").uid("c1").build(), List.of());

    private final Set<String> served = new CopyOnWriteArraySet<>();
    private final FakeApiServer server = FakeApiServer.start();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<ClusterObject> objects = new LinkedBlockingQueue<>();
    private final BlockingQueue<BlockingQueue<String>> streams = new LinkedBlockingQueue<>();
    private final CapturedLog log = CapturedLog.of(WatchProgress.class);
    private final KubernetesCluster cluster = new KubernetesCluster(
            new ApiClient(server.address(), new OkHttpClient()),
            new ClusterSettings(
                    0,
                    1,
                    Duration.ofSeconds(10),
                    new WatchSettings(
                            Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMillis(50), FAST, FAST),
                    FAST,
                    "host-1",
                    RequestMetrics.NONE,
                    MonotonicClock.system()),
            InstantSource.system(),
            new Random(1),
            Thread::new);

    private final ClusterListener listener = new ClusterListener() {
        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> all) {
            told.add("replaced " + kind);
            objects.addAll(all);
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            told.add("applied " + kind);
            objects.add(object);
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            told.add("deleted " + kind);
        }

        @Override
        public <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {
            told.add("unavailable: " + reason);
        }
    };

    @AfterEach
    void close() {
        streams.forEach(stream -> stream.add(""));
        cluster.close();
        server.close();
    }

    private void serve(String... versions) {
        for (String version : List.of(V1, V1BETA2, V1BETA1, V1ALPHA3, GROUPS_V1, GROUPS_V1BETA1)) {
            server.on("GET", "/apis/" + version + "/*", request -> answer(version, request));
        }
        served.addAll(List.of(versions));
    }

    private Response answer(String version, Request request) {
        if (!served.contains(version)) {
            return Response.of(404, "404 page not found\n");
        }
        if (request.query().containsKey("watch")) {
            BlockingQueue<String> stream = new LinkedBlockingQueue<>();
            streams.add(stream);
            return Response.stream(stream);
        }
        String kind =
                List.of(ObjectKind.RESOURCE_SLICE, ObjectKind.RESOURCE_CLAIM, ObjectKind.DEVICE_TAINT_RULE).stream()
                        .filter(each -> request.path().endsWith(each.plural()))
                        .map(ObjectKind::kind)
                        .findFirst()
                        .orElse("PodGroup");
        String items = kind.equals("ResourceSlice") ? slice(version) : "";
        return Response.ok("{\"kind\":\"" + kind + "List\",\"apiVersion\":\"" + version
                + "\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + items + "]}");
    }

    private static String slice(String version) {
        String fields = "\"attributes\":{\"model\":{\"string\":\"a\"}}";
        return "{\"kind\":\"ResourceSlice\",\"apiVersion\":\"" + version
                + "\",\"metadata\":{\"name\":\"s\",\"resourceVersion\":\"1\"},\"spec\":{\"driver\":\"gpu.example.com\","
                + "\"nodeName\":\"n\",\"pool\":{\"name\":\"p\",\"resourceSliceCount\":1},\"devices\":[{\"name\":\"gpu-0\","
                + (version.equals(V1BETA1) ? "\"basic\":{" + fields + "}" : fields) + "}]}}";
    }

    private void watch(ObjectKind<?> kind) {
        cluster.watch(Set.of(kind), KeptJson.NONE, listener);
    }

    private String next() throws InterruptedException {
        return told.take();
    }

    /** Returns the status after the kind was listed in a version: the listener is called a moment before. */
    private WatchStatus statusServedAs(String version) {
        WatchStatus status = status();
        while (!status.servedVersion().equals(version) || status.lists() == 0 || !status.isReady()) {
            Thread.onSpinWait();
            status = status();
        }
        return status;
    }

    /**
     * The note of the status once it is that of a kind that is watched again: a watch that ended is noted until the
     * next one opens.
     */
    private Optional<String> noteServedAs(String version) {
        Optional<String> note = statusServedAs(version).note();
        while (note.isPresent()) {
            Thread.onSpinWait();
            note = statusServedAs(version).note();
        }
        return note;
    }

    private WatchStatus status() {
        return cluster.watchStatuses().get(0);
    }

    private List<String> said() {
        return log.lines().stream().filter(line -> !line.startsWith("DEBUG")).toList();
    }

    /**
     * One case.
     *
     * @param served what the server serves
     * @param version what is asked for then
     */
    record Case(String name, ObjectKind<?> kind, List<String> served, String version) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("v1 before all others", ObjectKind.RESOURCE_SLICE, List.of(V1BETA1, V1BETA2, V1), V1),
            new Case("v1beta2 before v1beta1", ObjectKind.RESOURCE_SLICE, List.of(V1BETA1, V1BETA2), V1BETA2),
            new Case("v1beta1 if there is nothing else", ObjectKind.RESOURCE_SLICE, List.of(V1BETA1), V1BETA1),
            new Case("taint rules in v1alpha3", ObjectKind.DEVICE_TAINT_RULE, List.of(V1ALPHA3), V1ALPHA3),
            new Case("groups in v1beta1", ObjectKind.POD_GROUP, List.of(GROUPS_V1BETA1), GROUPS_V1BETA1),
            new Case(
                    "groups in v1 before v1beta1",
                    ObjectKind.POD_GROUP,
                    List.of(GROUPS_V1, GROUPS_V1BETA1),
                    GROUPS_V1));

    @ParameterizedTest
    @FieldSource("CASES")
    void theNewestIsListedAndWatched(Case c) throws InterruptedException {
        serve(c.served.toArray(String[]::new));

        watch(c.kind);

        assertThat(next()).isEqualTo("replaced " + c.kind);
        if (c.kind.equals(ObjectKind.RESOURCE_SLICE)) {
            ResourceSlice slice = (ResourceSlice) objects.take();
            assertThat(slice.nodeSelection().nodeName()).isEqualTo("n");
            assertThat(slice.devices().get(0).attributes()).containsOnlyKeys("model");
        }
        WatchStatus status = statusServedAs(c.version);
        Request request = server.takeRequest();
        while (!request.query().containsKey("watch")) {
            request = server.takeRequest();
        }
        assertThat(request.path()).startsWith("/apis/" + c.version + "/");
        assertThat(status.isReady()).isTrue();
        if (c.version.equals(c.kind.apiVersion())) {
            assertThat(status.note()).isEmpty();
            assertThat(said()).isEmpty();
        } else if (c.version.equals(GROUPS_V1)) {
            assertThat(status.note()).isEmpty();
            assertThat(said())
                    .singleElement()
                    .asString()
                    .startsWith("INFO The API server serves a newer version of a kind")
                    .contains(c.version);
        } else {
            assertThat(status.note().orElseThrow())
                    .endsWith(".resource.k8s.io: served as " + c.version + ", not as " + V1);
            assertThat(said())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("INFO The API server serves an older version of a kind")
                            .contains(c.version));
        }
    }

    @Test
    void aServerThatStopsServingAVersionIsReadInAnother() throws InterruptedException {
        serve(V1);
        watch(ObjectKind.RESOURCE_SLICE);
        assertThat(next()).startsWith("replaced");

        served.add(V1BETA1);
        served.remove(V1);
        streams.take().add("");

        assertThat(next()).startsWith("replaced");
        assertThat(statusServedAs(V1BETA1).isReady()).isTrue();

        served.add(V1);
        served.remove(V1BETA1);
        streams.take().add("");

        assertThat(next()).startsWith("replaced");
        assertThat(noteServedAs(V1)).isEmpty();
        assertThat(said())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("INFO The API server serves an older version of a kind"),
                        line -> assertThat(line)
                                .startsWith("INFO The API server serves the version of a kind that it did not serve"));
    }

    @Test
    void aServerThatIsBackAsANewerOneIsReadInTheNewest() throws InterruptedException {
        serve(V1BETA1);
        watch(ObjectKind.RESOURCE_SLICE);
        assertThat(next()).startsWith("replaced");
        BlockingQueue<String> watch = streams.take();
        // A watch that has not been answered yet is asked for again by the HTTP client, unnoticed.
        watch.add("{\"type\":\"ADDED\",\"object\":" + slice(V1BETA1) + "}");
        assertThat(next()).startsWith("applied");

        server.stop();
        served.add(V1);
        server.restart();

        assertThat(next()).startsWith("replaced");
        assertThat(noteServedAs(V1)).isEmpty();
        watch.add("");
    }

    @Test
    void aKindThatIsNotServedIsSaidOnceAndReadAsSoonAsItIs() throws InterruptedException {
        serve();
        watch(ObjectKind.DEVICE_TAINT_RULE);

        String reason = "unavailable: devicetaintrules.resource.k8s.io is not served by the API server";
        for (int look = 0; look < 3; look++) {
            assertThat(next()).isEqualTo(reason);
        }
        assertThat(status().isReady()).isTrue();
        assertThat(status().note().orElseThrow())
                .startsWith("devicetaintrules.resource.k8s.io: not served by the API server since")
                .endsWith("404 page not found");
        assertThat(said()).singleElement().asString().startsWith("WARN The API server does not serve a kind");

        served.add(V1BETA2);
        String next = next();
        while (next.equals(reason)) {
            next = next();
        }
        assertThat(next).startsWith("replaced");
        statusServedAs(V1BETA2);
    }

    static final List<List<String>> SERVED = List.of(List.of(V1, V1BETA1), List.of(V1BETA2), List.of(V1BETA1));

    @ParameterizedTest
    @FieldSource("SERVED")
    void claimsAreWrittenInTheVersionThatIsServed(List<String> versions) throws InterruptedException {
        serve(versions.toArray(String[]::new));
        String version = versions.get(0);
        List<String> paths = new ArrayList<>();
        for (String each : List.of(V1, V1BETA2, V1BETA1)) {
            for (String method : List.of("POST", "PATCH", "DELETE")) {
                server.on(method, "/apis/" + each + "/*", request -> {
                    if (!served.contains(each)) {
                        return answer(each, request);
                    }
                    paths.add(request.method() + " " + request.path());
                    return Response.ok(claim(each));
                });
            }
        }

        ResourceClaim created =
                cluster.resourceClaims().createForExtendedResources(WEB, List.of(DeviceRequest.of("r", "gpu", 2)));
        cluster.resourceClaims().addFinalizer(GPU);
        cluster.resourceClaims().reserve(GPU, ResourceClaim.Consumer.of(WEB));
        cluster.delete(ObjectKind.RESOURCE_CLAIM, "default", "gpu");

        String claims = "/apis/" + version + "/namespaces/default/resourceclaims";
        assertThat(paths)
                .containsExactly(
                        "POST " + claims,
                        "PATCH " + claims + "/gpu",
                        "PATCH " + claims + "/gpu/status",
                        "DELETE " + claims + "/gpu");
        assertThat(created.requests().get(0).deviceClass()).isEqualTo("gpu");
        Request request = server.takeRequest();
        while (!request.path().equals(claims)) {
            request = server.takeRequest();
        }
        String exact = "{'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 2";
        assertThat(json(request.body()).path("apiVersion").textValue()).isEqualTo(version);
        assertThat(json(request.body()).at("/spec/devices/requests/0"))
                .isEqualTo(json(
                        version.equals(V1BETA1)
                                ? exact + ", 'name': 'r'}"
                                : "{'name': 'r', 'exactly': " + exact + "}}"));
    }

    @Test
    void theStatusOfAGroupIsWrittenInTheVersionThatIsWatched() throws InterruptedException {
        serve(GROUPS_V1BETA1);
        List<String> paths = new CopyOnWriteArrayList<>();
        for (String version : List.of(GROUPS_V1, GROUPS_V1BETA1)) {
            server.on("PATCH", "/apis/" + version + "/*", request -> {
                paths.add(request.path());
                return served.contains(version)
                        ? Response.ok("{\"apiVersion\":\"" + version + "\",\"kind\":\"PodGroup\","
                                + "\"metadata\":{\"name\":\"g\",\"namespace\":\"default\"}}")
                        : answer(version, request);
            });
        }
        watch(ObjectKind.POD_GROUP);
        assertThat(next()).startsWith("replaced");
        PodGroup group = PodGroup.of(ObjectMeta.named("g").namespace("default").build())
                .gang(2)
                .build();

        cluster.patchStatus(group, new PodCondition("PodGroupInitiallyScheduled", "True", "Scheduled", "", 1));
        String path = "/namespaces/default/podgroups/g/status";
        assertThat(paths).containsExactly("/apis/" + GROUPS_V1BETA1 + path);

        served.remove(GROUPS_V1BETA1);
        served.add(GROUPS_V1);
        cluster.patchStatus(group, new PodCondition("PodGroupInitiallyScheduled", "True", "Scheduled", "", 2));
        assertThat(paths).endsWith("/apis/" + GROUPS_V1 + path);
    }

    private static String claim(String version) {
        String exact = "\"deviceClassName\":\"gpu\",\"count\":2";
        return "{\"apiVersion\":\"" + version + "\",\"kind\":\"ResourceClaim\",\"metadata\":{\"name\":\"made\","
                + "\"namespace\":\"default\",\"uid\":\"c2\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\","
                + (version.equals(V1BETA1) ? exact : "\"exactly\":{" + exact + "}") + "}]}}}";
    }

    static final List<String> ANSWERS_OF_A_SERVER_WITHOUT_THE_OBJECT = List.of("PATCH", "GET");

    @ParameterizedTest
    @FieldSource("ANSWERS_OF_A_SERVER_WITHOUT_THE_OBJECT")
    void anObjectThatIsNotThereIsNotLookedForInOtherVersions(String method) {
        String path = "/apis/" + V1 + "/namespaces/default/resourceclaims/gpu";
        Response missing = Response.of(
                404,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":"
                        + "\"resourceclaims.resource.k8s.io \\\"gpu\\\" not found\",\"reason\":\"NotFound\",\"details\":"
                        + "{\"name\":\"gpu\",\"group\":\"resource.k8s.io\",\"kind\":\"resourceclaims\"},\"code\":404}");
        server.on(method, path, request -> missing);

        if (method.equals("GET")) {
            assertThat(cluster.read(ObjectKind.RESOURCE_CLAIM, "default", "gpu"))
                    .isEmpty();
        } else {
            assertThatThrownBy(() -> cluster.resourceClaims().addFinalizer(GPU))
                    .isInstanceOfSatisfying(
                            ClusterException.class,
                            failure -> assertThat(failure.isNotFound()).isTrue());
        }
        assertThat(server.requests()).hasSize(1);
    }

    private static JsonNode json(String text) {
        try {
            return ObjectStreams.object(text.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
