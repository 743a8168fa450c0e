// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceConfig;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.DeviceToleration;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterException.Outcome;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectEvent;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.runtime.MonotonicClock;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

class KubernetesClusterTest {
    private static final String NODES = "/api/v1/nodes";
    private static final String WEB = "/api/v1/namespaces/default/pods/web";
    private static final String EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";
    private static final Instant NOW = Instant.parse("2026-11-21T09:30:00.123456789Z");
    private static final ObjectKind<OtherObject> QUOTA = ObjectKind.other("x.org/v1", "Quota", "quotas", true);

    private final FakeApiServer server = FakeApiServer.start();
    private final AtomicReference<Instant> time = new AtomicReference<>(NOW);
    private volatile Duration setBack = Duration.ZERO;
    private final KubernetesCluster cluster = open(settings());

    private ClusterSettings settings() {
        return settings(time::get);
    }

    private static ClusterSettings settings(InstantSource monotonicClock) {
        return new ClusterSettings(
                0,
                1,
                Duration.ofSeconds(10),
                WatchSettings.DEFAULTS,
                new RetryBackoff(Duration.ofMillis(5), Duration.ofMillis(20)),
                "host-1",
                RequestMetrics.NONE,
                monotonicClock);
    }

    private KubernetesCluster open(ClusterSettings settings) {
        return new KubernetesCluster(
                new ApiClient(server.address(), new OkHttpClient()),
                settings,
                () -> time.get().minus(setBack),
                new Random(1),
                Thread::new);
    }

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    @Test
    void listsThePodsWithALabelThatHaveEndedExceptUnreadableOnes() throws InterruptedException {
        server.on("GET", "/api/v1/pods", request -> Response.ok("""
                {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": [
                  {"metadata": {"name": "odd", "namespace": "default", "uid": "u1"}, "spec": "none"},
                  {"metadata": {"name": "web", "namespace": "default", "uid": "u2"}, "spec": {},
                   "status": {"phase": "Succeeded"}}]}"""));

        assertThat(cluster.endedPods("group", "gang"))
                .extracting(pod -> pod.key() + " " + pod.status().phase())
                .containsExactly("default/web Succeeded");
        assertThat(server.takeRequest().query())
                .containsEntry("labelSelector", "group=gang")
                .containsEntry("fieldSelector", "status.phase!=Pending,status.phase!=Running,status.phase!=Unknown");
    }

    @Nested
    class Binding {
        private final Pod web = pod("u1");

        @Test
        void succeedsByStatusRegardlessOfTheResponseType() throws InterruptedException {
            server.on("POST", WEB + "/binding", request -> Response.status(201, "", ""));

            cluster.bind(web, "node-1");

            Request request = server.takeRequest();
            assertThat(request.header("Content-Type")).contains("application/json");
            assertThat(json(request.body()))
                    .isEqualTo(json("{'apiVersion': 'v1', 'kind': 'Binding',"
                            + " 'metadata': {'name': 'web', 'namespace': 'default', 'uid': 'u1'},"
                            + " 'target': {'apiVersion': 'v1', 'kind': 'Node', 'name': 'node-1'}}"));
        }

        @Test
        void failsWithTheServersWords() {
            server.on(
                    "POST",
                    WEB + "/binding",
                    request -> Response.status(
                            409,
                            "Conflict",
                            "Operation cannot be fulfilled on pods/binding: pod web is already assigned"));

            assertThatThrownBy(() -> cluster.bind(web, "node-1"))
                    .isInstanceOfSatisfying(
                            ClusterException.class,
                            failure -> assertThat(failure.isConflict()).isTrue())
                    .hasMessage(
                            "bind default/web to node-1: 409 Conflict: Operation cannot be fulfilled on pods/binding:"
                                    + " pod web is already assigned");
            assertThat(server.requests()).hasSize(1);
        }

        @Test
        void failsWithTheServersNameWhenThereIsNoAnswer() {
            server.stop();

            assertThatThrownBy(() -> cluster.bind(web, "node-1"))
                    .isInstanceOfSatisfying(
                            ClusterException.class,
                            failure -> assertThat(failure.httpStatus()).isZero())
                    .hasMessageStartingWith("bind default/web to node-1: " + server.address() + ": ConnectException: ");
        }

        @Test
        void failsReadablyWhenTheAnswerIsNoStatus() {
            server.on("POST", WEB + "/binding", request -> Response.of(502, "<html>\nBad</html>"));

            assertThatThrownBy(() -> cluster.bind(web, "node-1"))
                    .hasMessage("bind default/web to node-1: 502 Bad Gateway: <html> Bad</html>");
        }

        @Test
        void waitsAsLongAsABusyServerAsks() {
            AtomicInteger tries = new AtomicInteger();
            server.on(
                    "POST",
                    WEB + "/binding",
                    request -> tries.incrementAndGet() < 3
                            ? Response.status(429, "TooManyRequests", "later").with("Retry-After", "0")
                            : Response.status(201, "", ""));

            cluster.bind(web, "node-1");

            assertThat(tries).hasValue(3);
        }

        /**
         * A server that does not bind at once.
         *
         * @param answers what it answers to one try after the other
         * @param tries how many there are
         * @param outcome what is known at the end; null if the pod is bound
         */
        record Retried(
                String name,
                List<Response> answers,
                int tries,
                @Nullable Outcome outcome) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final Response FAILED = Response.status(500, "InternalError", "oops");
        private static final Response UNAVAILABLE = Response.status(503, "ServiceUnavailable", "later");
        private static final Response TAKEN = Response.status(409, "Conflict", "pod web is already assigned");
        private static final Response BOUND = Response.status(201, "", "");

        static final List<Retried> RETRIED = List.of(
                new Retried("a failure of the server's is retried", List.of(FAILED, UNAVAILABLE, BOUND), 3, null),
                new Retried(
                        "a failure without a Status is retried", List.of(Response.of(500, "<html>"), BOUND), 2, null),
                new Retried("the fourth try may do it", List.of(FAILED, FAILED, FAILED, BOUND), 4, null),
                new Retried(
                        "there is no fifth",
                        List.of(UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, BOUND),
                        4,
                        Outcome.UNKNOWN),
                new Retried("a conflict is not retried", List.of(TAKEN, BOUND), 1, Outcome.REFUSED),
                new Retried(
                        "a conflict after a failure may be the pod's own binding",
                        List.of(FAILED, TAKEN, BOUND),
                        2,
                        Outcome.REFUSED),
                new Retried(
                        "a refusal after a failure does not say that the pod is not bound",
                        List.of(FAILED, Response.status(403, "Forbidden", "no"), BOUND),
                        2,
                        Outcome.UNKNOWN),
                new Retried(
                        "a refusal says so otherwise",
                        List.of(Response.status(403, "Forbidden", "no"), BOUND),
                        1,
                        Outcome.REFUSED),
                new Retried(
                        "a server that ran out of time is not asked again",
                        List.of(Response.status(500, "ServerTimeout", "slow"), BOUND),
                        1,
                        Outcome.UNKNOWN),
                new Retried(
                        "a gateway that ran out of time is not asked again",
                        List.of(Response.status(504, "Timeout", "slow"), BOUND),
                        1,
                        Outcome.UNKNOWN));

        @ParameterizedTest
        @FieldSource("RETRIED")
        void isTriedAgainWhereKubeSchedulerDoes(Retried c) {
            AtomicInteger tries = new AtomicInteger();
            server.on("POST", WEB + "/binding", request -> c.answers.get(tries.getAndIncrement()));

            if (c.outcome == null) {
                cluster.bind(web, "node-1");
            } else {
                assertThatThrownBy(() -> cluster.bind(web, "node-1"))
                        .isInstanceOfSatisfying(
                                ClusterException.class,
                                failure -> assertThat(failure.outcome()).isEqualTo(c.outcome));
            }

            assertThat(tries).hasValue(c.tries);
        }

        @Test
        void isNotKnownIfTheServerIsGoneAfterAFailure() {
            server.on("POST", WEB + "/binding", request -> {
                // The answer is still sent: the stub stops listening, and that is all.
                CompletableFuture<Void> ignored = CompletableFuture.runAsync(server::stop);
                return FAILED;
            });

            assertThatThrownBy(() -> cluster.bind(web, "node-1"))
                    .isInstanceOfSatisfying(
                            ClusterException.class,
                            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN));
        }

        @Test
        void isRefusedAfterClose() {
            cluster.close();

            assertThatThrownBy(() -> cluster.bind(web, "node-1")).isInstanceOf(ClusterException.class);
        }
    }

    @Nested
    class PatchingTheStatus {
        record Case(
                String name, PodStatus before, Optional<PodCondition> condition, Nomination nomination, String patch) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final PodCondition UNSCHEDULABLE =
                new PodCondition("PodScheduled", "False", "Unschedulable", "0/1 nodes", 2);

        private static PodStatus status(PodCondition condition) {
            return PodStatus.builder().conditions(List.of(condition)).build();
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a first condition gets a time",
                        PodStatus.NONE,
                        Optional.of(UNSCHEDULABLE),
                        Nomination.keep(),
                        "{'metadata': {'uid': 'u1', 'resourceVersion': '7'}, 'status': {'conditions': [{'type': 'PodScheduled', 'status':"
                                + " 'False', 'reason': 'Unschedulable', 'message': '0/1 nodes', 'observedGeneration': 2,"
                                + " 'lastProbeTime': null, 'lastTransitionTime': '2026-11-21T09:30:00Z'}]}}"),
                new Case(
                        "a condition that flips gets a time, and loses what it no longer says",
                        status(UNSCHEDULABLE),
                        Optional.of(new PodCondition("PodScheduled", "True", "", "", 0)),
                        Nomination.keep(),
                        "{'metadata': {'uid': 'u1', 'resourceVersion': '7'}, 'status': {'conditions': [{'type': 'PodScheduled', 'status':"
                                + " 'True', 'reason': null, 'message': null, 'lastProbeTime': null, 'lastTransitionTime':"
                                + " '2026-11-21T09:30:00Z'}]}}"),
                new Case(
                        "a condition that only says something else keeps its time",
                        status(UNSCHEDULABLE),
                        Optional.of(new PodCondition("PodScheduled", "False", "Unschedulable", "0/2 nodes", 2)),
                        Nomination.keep(),
                        "{'metadata': {'uid': 'u1', 'resourceVersion': '7'}, 'status': {'conditions': [{'type': 'PodScheduled', 'status':"
                                + " 'False', 'reason': 'Unschedulable', 'message': '0/2 nodes', 'observedGeneration': 2,"
                                + " 'lastProbeTime': null}]}}"),
                new Case(
                        "a nomination stands alone",
                        PodStatus.NONE,
                        Optional.empty(),
                        Nomination.to("node-1"),
                        "{'metadata': {'uid': 'u1', 'resourceVersion': '7'}, 'status': {'nominatedNodeName': 'node-1'}}"),
                new Case(
                        "a nomination is cleared next to an unchanged condition",
                        status(UNSCHEDULABLE).toBuilder()
                                .nominatedNodeName("node-1")
                                .build(),
                        Optional.of(UNSCHEDULABLE),
                        Nomination.clear(),
                        "{'metadata': {'uid': 'u1', 'resourceVersion': '7'}, 'status': {'nominatedNodeName': null}}"));

        @ParameterizedTest
        @FieldSource("CASES")
        void sendsOnlyWhatChanges(Case change) throws InterruptedException {
            server.on("PATCH", WEB + "/status", request -> Response.ok("{}"));

            cluster.patchStatus(pod("u1").withStatus(change.before), change.condition, change.nomination);

            Request request = server.takeRequest();
            assertThat(request.header("Content-Type")).contains("application/strategic-merge-patch+json");
            assertThat(json(request.body())).isEqualTo(json(change.patch));
        }

        @Test
        void sendsNothingIfNothingChanges() {
            Pod pod = pod("u1")
                    .withStatus(status(UNSCHEDULABLE).toBuilder()
                            .nominatedNodeName("node-1")
                            .build());

            cluster.patchStatus(pod, Optional.of(UNSCHEDULABLE), Nomination.keep());
            cluster.patchStatus(pod, Optional.empty(), Nomination.to("node-1"));

            assertThat(server.requests()).isEmpty();
        }

        @Test
        void triesAgainWhenThatMayHelp() {
            AtomicInteger tries = new AtomicInteger();
            List<Response> answers = List.of(
                    Response.status(409, "Conflict", "changed"),
                    Response.status(500, "InternalError", "oops"),
                    Response.status(503, "ServiceUnavailable", "later"),
                    Response.ok("{}"));
            server.on("PATCH", WEB + "/status", request -> answers.get(tries.getAndIncrement()));
            server.on("GET", WEB, request -> Response.ok(onServer("u1", "8", "")));

            cluster.patchStatus(pod("u1"), Optional.of(UNSCHEDULABLE), Nomination.keep());

            assertThat(tries).hasValue(4);
        }

        private static String onServer(String uid, String version, String nodeName) {
            return "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"uid\":\"" + uid
                    + "\",\"resourceVersion\":\"" + version + "\"},\"spec\":{\"nodeName\":\"" + nodeName
                    + "\"},\"status\":{}}";
        }

        record Conflict(String name, Response read, List<String> versions) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Conflict> CONFLICTS = List.of(
                new Conflict(
                        "a pod that has changed gets the status in its new version",
                        Response.ok(onServer("u1", "8", "")),
                        List.of("7", "8")),
                new Conflict(
                        "a pod that was bound keeps its status", Response.ok(onServer("u1", "8", "n")), List.of("7")),
                new Conflict(
                        "another pod of that name keeps its status",
                        Response.ok(onServer("u2", "8", "")),
                        List.of("7")),
                new Conflict("a pod that is gone has none", Response.status(404, "NotFound", "gone"), List.of("7")));

        // As a status of a failed attempt that comes late.
        @ParameterizedTest
        @FieldSource("CONFLICTS")
        void isForTheVersionOfThePodThatHasNoNode(Conflict c) {
            List<String> versions = new CopyOnWriteArrayList<>();
            server.on("GET", WEB, request -> c.read);
            server.on("PATCH", WEB + "/status", request -> {
                versions.add(json(request.body())
                        .path("metadata")
                        .path("resourceVersion")
                        .asText());
                return versions.size() == 1 ? Response.status(409, "Conflict", "changed") : Response.ok("{}");
            });
            Pod pod = pod("u1");
            cluster.patchStatus(
                    pod.withMetadata(pod.metadata().withResourceVersion("7")),
                    Optional.of(UNSCHEDULABLE),
                    Nomination.keep());
            assertThat(versions).isEqualTo(c.versions);
        }

        @Test
        void followsItsOwnPatchesThatAreNotWatchedYet() {
            List<String> versions = new CopyOnWriteArrayList<>();
            server.on("PATCH", WEB + "/status", request -> {
                versions.add(json(request.body())
                        .path("metadata")
                        .path("resourceVersion")
                        .asText());
                return Response.ok(onServer("u1", "1" + versions.size(), ""));
            });
            // The watch reports nothing, then the second patch and the third, and then another client's.
            for (String watched : List.of("7", "7", "7", "12", "13", "99")) {
                Pod pod = pod("u1").withMetadata(pod("u1").metadata().withResourceVersion(watched));
                cluster.patchStatus(pod, Optional.empty(), Nomination.to("node-" + watched));
            }
            assertThat(versions).containsExactly("7", "11", "12", "13", "14", "99");
        }

        @Test
        void doesNotTryAgainWhenThatDoesNotHelp() {
            assertThatThrownBy(() -> cluster.patchStatus(pod("u1"), Optional.of(UNSCHEDULABLE), Nomination.keep()))
                    .hasMessage("patch status of default/web: 404 NotFound: pods \"web\" not found");
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Nested
    class PatchingTheStatusOfAGroup {
        private static final String GROUP = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups/gang";
        private static final PodCondition UNSCHEDULABLE =
                new PodCondition("PodGroupInitiallyScheduled", "False", "Unschedulable", "minCount (3)", 2);

        record Case(String name, Optional<PodCondition> before, PodCondition condition, String patch) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a first condition gets a time",
                        Optional.empty(),
                        UNSCHEDULABLE,
                        "{'metadata': {'uid': 'u1'}, 'status': {'conditions': [{'type': 'PodGroupInitiallyScheduled',"
                                + " 'status': 'False', 'reason': 'Unschedulable', 'message': 'minCount (3)',"
                                + " 'observedGeneration': 2, 'lastTransitionTime': '2026-11-21T09:30:00Z'}]}}"),
                new Case(
                        "a condition that flips gets a time, and says nothing more",
                        Optional.of(UNSCHEDULABLE),
                        new PodCondition("PodGroupInitiallyScheduled", "True", "Scheduled", "", 3),
                        "{'metadata': {'uid': 'u1'}, 'status': {'conditions': [{'type': 'PodGroupInitiallyScheduled',"
                                + " 'status': 'True', 'reason': 'Scheduled', 'message': '', 'observedGeneration': 3,"
                                + " 'lastTransitionTime': '2026-11-21T09:30:00Z'}]}}"),
                new Case(
                        "a condition that only says something else keeps its time",
                        Optional.of(UNSCHEDULABLE),
                        new PodCondition("PodGroupInitiallyScheduled", "False", "SchedulerError", "oops", 2),
                        "{'metadata': {'uid': 'u1'}, 'status': {'conditions': [{'type': 'PodGroupInitiallyScheduled',"
                                + " 'status': 'False', 'reason': 'SchedulerError', 'message': 'oops',"
                                + " 'observedGeneration': 2}]}}"));

        private static PodGroup group(Optional<PodCondition> condition) {
            PodGroup.Builder group = PodGroup.of(ObjectMeta.named("gang")
                    .namespace("default")
                    .uid("u1")
                    .resourceVersion("7")
                    .build());
            condition.ifPresent(group::initiallyScheduled);
            return group.gang(3).build();
        }

        private static String onServer() {
            return "{\"metadata\":{\"name\":\"gang\",\"namespace\":\"default\"}}";
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void sendsTheCondition(Case change) throws InterruptedException {
            server.on("PATCH", GROUP + "/status", request -> Response.ok(onServer()));

            cluster.patchStatus(group(change.before), change.condition);

            Request request = server.takeRequest();
            assertThat(request.header("Content-Type")).contains("application/strategic-merge-patch+json");
            assertThat(json(request.body())).isEqualTo(json(change.patch));
        }

        @Test
        void sendsNothingIfNothingChanges() {
            cluster.patchStatus(group(Optional.of(UNSCHEDULABLE)), UNSCHEDULABLE);

            assertThat(server.requests()).isEmpty();
        }

        @Test
        void triesAgainWhenThatMayHelp() {
            AtomicInteger tries = new AtomicInteger();
            List<Response> answers = List.of(
                    Response.status(409, "Conflict", "changed"),
                    Response.status(500, "InternalError", "oops"),
                    Response.status(503, "ServiceUnavailable", "later"),
                    Response.ok(onServer()));
            server.on("PATCH", GROUP + "/status", request -> answers.get(tries.getAndIncrement()));

            cluster.patchStatus(group(Optional.empty()), UNSCHEDULABLE);

            assertThat(tries).hasValue(4);
        }

        @Test
        void failsAfterFourAttempts() {
            AtomicInteger tries = new AtomicInteger();
            server.on("PATCH", GROUP + "/status", request -> {
                tries.incrementAndGet();
                return Response.status(409, "Conflict", "changed");
            });

            assertThatThrownBy(() -> cluster.patchStatus(group(Optional.empty()), UNSCHEDULABLE))
                    .hasMessage("patch PodGroup default/gang: 409 Conflict: changed");
            assertThat(tries).hasValue(4);
        }

        @Test
        void doesNotTryAgainWhenThatDoesNotHelp() {
            AtomicInteger tries = new AtomicInteger();
            server.on("PATCH", GROUP + "/status", request -> {
                tries.incrementAndGet();
                return Response.status(403, "Forbidden", "no");
            });

            assertThatThrownBy(() -> cluster.patchStatus(group(Optional.empty()), UNSCHEDULABLE))
                    .hasMessage("patch PodGroup default/gang: 403 Forbidden: no");
            assertThat(tries).hasValue(1);
        }
    }

    @Nested
    class OtherChanges {
        @Test
        void deletesThePodThatIsMeantAndNoOtherOfItsName() throws InterruptedException {
            server.on("DELETE", WEB, request -> Response.ok("{\"kind\":\"Pod\"}"));

            cluster.delete(pod("u1"));

            assertThat(json(server.takeRequest().body()))
                    .isEqualTo(json("{'apiVersion': 'v1', 'kind': 'DeleteOptions', 'preconditions': {'uid': 'u1'}}"));
        }

        @Test
        void takesAPodThatIsGoneForDeleted() {
            cluster.delete(pod("u1"));
            server.on("DELETE", WEB, request -> Response.status(409, "Conflict", "the UID in the precondition"));
            cluster.delete(pod("u1"));
            server.on("DELETE", WEB, request -> Response.status(403, "Forbidden", "no"));

            assertThatThrownBy(() -> cluster.delete(pod("u1"))).hasMessage("delete default/web: 403 Forbidden: no");
        }

        @Test
        void patchesObjectsOfOtherKinds() throws InterruptedException {
            server.on(
                    "PATCH",
                    "/apis/x.org/v1/namespaces/default/quotas/q",
                    request -> Response.ok("{'metadata': {'resourceVersion': '7'}}".replace('\'', '"')));

            OtherObject written = cluster.patch(QUOTA, "default", "q", MergePatch.of("{\"spec\":{\"max\":null}}"));

            assertThat(written.metadata().resourceVersion()).isEqualTo("7");
            Request request = server.takeRequest();
            assertThat(request.header("Content-Type")).contains("application/merge-patch+json");
            assertThat(json(request.body())).isEqualTo(json("{'spec': {'max': null}}"));
        }

        @Test
        void patchesTheStatusOfObjectsOfOtherKinds() throws InterruptedException {
            server.on("PATCH", "/apis/x.org/v1/namespaces/default/quotas/q/status", request -> Response.ok("{}"));

            cluster.patch(QUOTA, "default", "q", MergePatch.ofStatus("{\"status\":{\"used\":1}}"));

            assertThat(json(server.takeRequest().body())).isEqualTo(json("{'status': {'used': 1}}"));
        }

        @Test
        void refusesAPatchThatIsNoObject() {
            assertThatThrownBy(() -> cluster.patch(QUOTA, "default", "q", MergePatch.of("[]")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("json: [] (expected: a JSON object)");
        }

        @Test
        void deletesObjectsOfTheWholeCluster() throws InterruptedException {
            cluster.delete(ObjectKind.NODE, "", "node-1");
            assertThat(server.takeRequest().path()).isEqualTo("/api/v1/nodes/node-1");

            server.on("DELETE", NODES + "/node-1", request -> Response.status(403, "Forbidden", "no"));
            assertThatThrownBy(() -> cluster.delete(ObjectKind.NODE, "", "node-1"))
                    .hasMessage("delete Node node-1: 403 Forbidden: no");
        }
    }

    @Nested
    class ChangingVolumesAndClaims {
        private static final String VOLUME = "/api/v1/persistentvolumes/v";
        private static final String VOLUME_CLAIM = "/api/v1/namespaces/default/persistentvolumeclaims/data";
        private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
        private static final String MERGE = "application/merge-patch+json";
        private static final String STRATEGIC = "application/strategic-merge-patch+json";

        private static final PersistentVolume V = PersistentVolume.of(
                        ObjectMeta.named("v").uid("v1").resourceVersion("3").build())
                .build();
        private static final PersistentVolumeClaim DATA = PersistentVolumeClaim.of(ObjectMeta.named("data")
                        .namespace("default")
                        .uid("d1")
                        .resourceVersion("4")
                        .build())
                .build();
        private static final PersistentVolume KEPT = V.toBuilder()
                .claim(new PersistentVolume.ClaimReference("default", "data", ""))
                .build();
        private static final ResourceClaim GPU = ResourceClaim.of(
                ObjectMeta.named("gpu")
                        .namespace("default")
                        .uid("c1")
                        .resourceVersion("5")
                        .build(),
                List.of());

        private static DeviceAllocation plainAllocation() {
            return new DeviceAllocation(List.of(result()), List.of(), Optional.empty(), Optional.empty());
        }

        private static DeviceAllocation.Result result() {
            return new DeviceAllocation.Result(
                    "r", "gpu.x.org", "p", "gpu-0", false, List.of(), List.of(), List.of(), "", Map.of(), List.of());
        }

        private static DeviceAllocation fullAllocation() {
            DeviceToleration toleration = new DeviceToleration(
                    "k", "Exists", "", "", "{\"key\":\"k\",\"operator\":\"Exists\",\"tolerationSeconds\":5}");
            return new DeviceAllocation(
                    List.of(new DeviceAllocation.Result(
                            "r/a",
                            "gpu.x.org",
                            "p",
                            "gpu-0",
                            true,
                            List.of(toleration),
                            List.of("ready"),
                            List.of("broken"),
                            "share",
                            Map.of("memory", Quantity.parse("1Gi"), "cores", Quantity.of(2)),
                            List.of("*"))),
                    List.of(
                            new DeviceAllocation.Config(
                                    true, new DeviceConfig(List.of("r"), "{\"opaque\":{\"driver\":\"gpu.x.org\"}}")),
                            new DeviceAllocation.Config(false, new DeviceConfig(List.of(), "{}"))),
                    Optional.of(new NodeSelector(List.of(new NodeSelector.Term(
                            List.of(new NodeSelector.Requirement("zone", "In", List.of("a", "b"))),
                            List.of(new NodeSelector.Requirement("metadata.name", "In", List.of("n"))))))),
                    Optional.of(NOW));
        }

        record Case(
                String name,
                Consumer<KubernetesCluster> write,
                String method,
                String path,
                String contentType,
                String body) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a volume is bound to a claim",
                        cluster -> cluster.volumes().bind(V, DATA),
                        "PATCH",
                        VOLUME,
                        MERGE,
                        "{'metadata': {'annotations': {'pv.kubernetes.io/bound-by-controller': 'yes'},"
                                + " 'resourceVersion': '3'}, 'spec': {'claimRef': {'apiVersion': 'v1',"
                                + " 'kind': 'PersistentVolumeClaim', 'namespace': 'default', 'name': 'data',"
                                + " 'uid': 'd1', 'resourceVersion': '4'}}}"),
                new Case(
                        "a volume that a user reserved for a claim is not marked as bound by a controller",
                        cluster -> cluster.volumes().bind(KEPT, DATA),
                        "PATCH",
                        VOLUME,
                        MERGE,
                        "{'metadata': {'resourceVersion': '3'}, 'spec': {'claimRef': {'apiVersion': 'v1',"
                                + " 'kind': 'PersistentVolumeClaim', 'namespace': 'default', 'name': 'data',"
                                + " 'uid': 'd1', 'resourceVersion': '4'}}}"),
                new Case(
                        "the node of a claim is selected",
                        cluster -> cluster.volumes().selectNode(DATA, "n"),
                        "PATCH",
                        VOLUME_CLAIM,
                        MERGE,
                        "{'metadata': {'annotations': {'volume.kubernetes.io/selected-node': 'n'},"
                                + " 'resourceVersion': '4'}}"),
                new Case(
                        "a finalizer is added",
                        cluster -> cluster.resourceClaims().addFinalizer(GPU),
                        "PATCH",
                        CLAIMS + "/gpu",
                        MERGE,
                        "{'metadata': {'uid': 'c1', 'resourceVersion': '5',"
                                + " 'finalizers': ['resource.kubernetes.io/delete-protection']}}"),
                new Case(
                        "a finalizer is removed",
                        cluster -> cluster.resourceClaims().removeFinalizer(GPU),
                        "PATCH",
                        CLAIMS + "/gpu",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1', '$deleteFromPrimitiveList/finalizers':"
                                + " ['resource.kubernetes.io/delete-protection']}}"),
                new Case(
                        "a device is allocated",
                        cluster -> cluster.resourceClaims()
                                .allocate(GPU, plainAllocation(), ResourceClaim.Consumer.of(pod("u1"))),
                        "PATCH",
                        CLAIMS + "/gpu/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1', 'resourceVersion': '5'}, 'status': {'allocation': {'devices': {'results': ["
                                + "{'request': 'r', 'driver': 'gpu.x.org', 'pool': 'p', 'device': 'gpu-0'}]}},"
                                + " 'reservedFor': [{'resource': 'pods', 'name': 'web', 'uid': 'u1'}]}}"),
                new Case(
                        "a device is allocated with all that can be said of it",
                        cluster -> cluster.resourceClaims()
                                .allocate(GPU, fullAllocation(), ResourceClaim.Consumer.of(pod("u1"))),
                        "PATCH",
                        CLAIMS + "/gpu/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1', 'resourceVersion': '5'}, 'status': {'allocation': {'devices': {'results': ["
                                + "{'request': 'r/a', 'driver': 'gpu.x.org', 'pool': 'p', 'device': 'gpu-0',"
                                + " 'adminAccess': true,"
                                + " 'tolerations': [{'key': 'k', 'operator': 'Exists', 'tolerationSeconds': 5}],"
                                + " 'bindingConditions': ['ready'], 'bindingFailureConditions': ['broken'],"
                                + " 'shareID': 'share', 'consumedCapacity': {'cores': '2', 'memory': '1073741824'},"
                                + " 'skipNodeOperations': ['*']}],"
                                + " 'config': [{'source': 'FromClass', 'requests': ['r'],"
                                + " 'opaque': {'driver': 'gpu.x.org'}}, {'source': 'FromClaim', 'requests': []}]},"
                                + " 'nodeSelector': {'nodeSelectorTerms': [{"
                                + "'matchExpressions': [{'key': 'zone', 'operator': 'In', 'values': ['a', 'b']}],"
                                + " 'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['n']}]}]},"
                                + " 'allocationTimestamp': '2026-11-21T09:30:00Z'},"
                                + " 'reservedFor': [{'resource': 'pods', 'name': 'web', 'uid': 'u1'}]}}"),
                new Case(
                        "a claim is reserved",
                        cluster -> cluster.resourceClaims().reserve(GPU, ResourceClaim.Consumer.of(pod("u1"))),
                        "PATCH",
                        CLAIMS + "/gpu/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1'}, 'status': {"
                                + "'reservedFor': [{'resource': 'pods', 'name': 'web', 'uid': 'u1'}]}}"),
                new Case(
                        "a claim is reserved for a group",
                        cluster -> cluster.resourceClaims()
                                .reserve(
                                        GPU,
                                        ResourceClaim.Consumer.of(PodGroup.of(ObjectMeta.named("g")
                                                        .uid("g1")
                                                        .build())
                                                .build())),
                        "PATCH",
                        CLAIMS + "/gpu/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1'}, 'status': {'reservedFor': [{'apiGroup': 'scheduling.k8s.io',"
                                + " 'resource': 'podgroups', 'name': 'g', 'uid': 'g1'}]}}"),
                new Case(
                        "a reservation is removed",
                        cluster -> cluster.resourceClaims().unreserve(GPU, ResourceClaim.Consumer.of(pod("u1"))),
                        "PATCH",
                        CLAIMS + "/gpu/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1'}, 'status': {'reservedFor': [{'$patch': 'delete', 'uid': 'u1'}]}}"),
                new Case(
                        "a claim is deallocated",
                        cluster -> cluster.resourceClaims().deallocate(GPU),
                        "PATCH",
                        CLAIMS + "/gpu/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'c1', 'resourceVersion': '5'},"
                                + " 'status': {'allocation': null, 'reservedFor': null, 'devices': null}}"),
                new Case(
                        "a claim for extended resources is created",
                        cluster -> cluster.resourceClaims()
                                .createForExtendedResources(pod("u1"), List.of(DeviceRequest.of("r", "gpu", 2))),
                        "POST",
                        CLAIMS,
                        "application/json",
                        "{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaim', 'metadata': {'namespace':"
                                + " 'default', 'generateName': 'web-extended-resources-', 'annotations':"
                                + " {'resource.kubernetes.io/extended-resource-claim': 'true'}, 'ownerReferences':"
                                + " [{'apiVersion': 'v1', 'kind': 'Pod', 'name': 'web', 'uid': 'u1', 'controller':"
                                + " true}]}, 'spec': {'devices': {'requests': [{'name': 'r', 'exactly':"
                                + " {'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 2}}]}}}"),
                new Case(
                        "a pod's claim for extended resources is named",
                        cluster -> cluster.patchExtendedResourceClaimStatus(
                                pod("u1"),
                                new PodStatus.ExtendedResourceClaimStatus(
                                        "made",
                                        List.of(new PodStatus.ContainerExtendedResourceRequest(
                                                "main", "x.org/gpu", "r")))),
                        "PATCH",
                        WEB + "/status",
                        STRATEGIC,
                        "{'metadata': {'uid': 'u1'}, 'status': {'extendedResourceClaimStatus': {"
                                + "'resourceClaimName': 'made', 'requestMappings': [{'containerName': 'main',"
                                + " 'resourceName': 'x.org/gpu', 'requestName': 'r'}]}}}"),
                new Case(
                        "the resources that a pod's claims use of its node are reported",
                        cluster -> cluster.patchNodeAllocatableResourceClaimStatuses(
                                pod("u1"),
                                List.of(new PodStatus.NodeAllocatableResourceClaimStatus(
                                        "gpu",
                                        List.of("main"),
                                        Map.of("memory", Quantity.of(8), "cpu", Quantity.of(4)),
                                        Map.of(
                                                "cpu",
                                                new Device.NodeAllocatableOverhead(
                                                        Optional.of(Quantity.of(1)), Optional.empty()))))),
                        "PATCH",
                        WEB + "/status",
                        MERGE,
                        "{'metadata': {'uid': 'u1'}, 'status': {'nodeAllocatableResourceClaimStatuses': [{"
                                + "'resourceClaimName': 'gpu', 'containers': ['main'], 'mapping': [{'name': 'cpu',"
                                + " 'quantity': '4'}, {'name': 'memory', 'quantity': '8'}], 'overhead': [{'name':"
                                + " 'cpu', 'perPod': '1'}]}]}}"),
                new Case(
                        "a pod's claims take nothing of its node any more",
                        cluster -> cluster.patchNodeAllocatableResourceClaimStatuses(pod("u1"), List.of()),
                        "PATCH",
                        WEB + "/status",
                        MERGE,
                        "{'metadata': {'uid': 'u1'}, 'status': {'nodeAllocatableResourceClaimStatuses': []}}"));

        @ParameterizedTest
        @FieldSource("CASES")
        void sendsOneRequest(Case c) throws InterruptedException {
            server.on(c.method, c.path, request -> Response.ok("{}"));

            c.write.accept(cluster);

            Request request = server.takeRequest();
            assertThat(request.method() + " " + request.path()).isEqualTo(c.method + " " + c.path);
            assertThat(request.header("Content-Type")).contains(c.contentType);
            assertThat(json(request.body())).isEqualTo(json(c.body));
            assertThat(server.requests()).hasSize(1);
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void failsWithTheServersWords(Case c) {
            server.on(c.method, c.path, request -> Response.status(409, "Conflict", "the object has been modified"));

            assertThatThrownBy(() -> c.write.accept(cluster))
                    .isInstanceOfSatisfying(
                            ClusterException.class,
                            failure -> assertThat(failure.isConflict()).isTrue())
                    .hasMessageEndingWith(": 409 Conflict: the object has been modified");
        }

        @Test
        void returnsTheObjectThatTheServerAnswersWith() {
            server.on("PATCH", CLAIMS + "/gpu/status", request -> Response.ok("""
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                 "metadata": {"name": "gpu", "namespace": "default", "uid": "c1", "resourceVersion": "9"},
                 "status": {"reservedFor": [{"resource": "pods", "name": "other", "uid": "u0"},
                                            {"resource": "pods", "name": "web", "uid": "u1"}]}}\
                """));

            ResourceClaim written = cluster.resourceClaims().reserve(GPU, ResourceClaim.Consumer.of(pod("u1")));

            assertThat(written.metadata().resourceVersion()).isEqualTo("9");
            assertThat(written.reservedFor())
                    .extracting(ResourceClaim.Consumer::uid)
                    .containsExactly("u0", "u1");
        }

        @Test
        void failsIfTheAnswerIsNoSuchObject() {
            server.on("PATCH", VOLUME, request -> Response.ok("{\"spec\":{\"capacity\":{\"storage\":\"much\"}}}"));

            assertThatThrownBy(() -> cluster.volumes().bind(V, DATA))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageStartingWith("patch PersistentVolume v: ")
                    .hasMessageContaining(
                            "spec.capacity.storage: \"much\" (expected: a quantity such as 2, 500m or 1536Mi)");
        }
    }

    @Nested
    class Events {
        @Test
        void arePostedAsKubeSchedulerDoes() throws InterruptedException {
            server.on("POST", EVENTS, request -> Response.status(201, "", ""));
            Pod preemptor = Pod.of(
                    ObjectMeta.named("big").namespace("default").uid("u2").build(),
                    PodSpec.builder().build());

            cluster.report(PodEvent.normal(pod("u1"), "Preempted", "Preempting", "Preempted by big")
                    .withRelated(preemptor));

            assertThat(json(server.takeRequest().body()))
                    .isEqualTo(json("{'apiVersion': 'events.k8s.io/v1', 'kind': 'Event',"
                            + " 'metadata': {'name': 'web."
                            + Long.toHexString(NOW.getEpochSecond() * 1_000_000_000 + NOW.getNano())
                            + "', 'namespace': 'default'},"
                            + " 'eventTime': '2026-11-21T09:30:00.123456Z',"
                            + " 'reportingController': 'default-scheduler',"
                            + " 'reportingInstance': 'default-scheduler-host-1',"
                            + " 'action': 'Preempting', 'reason': 'Preempted',"
                            + " 'regarding': {'apiVersion': 'v1', 'kind': 'Pod', 'namespace': 'default', 'name': 'web',"
                            + " 'uid': 'u1', 'resourceVersion': '7'},"
                            + " 'related': {'apiVersion': 'v1', 'kind': 'Pod', 'namespace': 'default', 'name': 'big',"
                            + " 'uid': 'u2'},"
                            + " 'note': 'Preempted by big', 'type': 'Normal'}"));
        }

        @Test
        void ofAGroupAreOfItsSchedulerAndNoPod() throws InterruptedException {
            server.on("POST", EVENTS, request -> Response.status(201, "", ""));
            PodGroup group = PodGroup.of(ObjectMeta.named("gang")
                            .namespace("default")
                            .uid("g1")
                            .build())
                    .build();

            cluster.report(
                    ObjectEvent.warning(group, "batch-scheduler", "FailedScheduling", "Scheduling", "2 of the 3 pods"));

            JsonNode event = json(server.takeRequest().body());
            assertThat(event.get("regarding"))
                    .isEqualTo(json("{'apiVersion': '" + ObjectKind.POD_GROUP.apiVersion()
                            + "', 'kind': 'PodGroup', 'namespace': 'default', 'name': 'gang', 'uid': 'g1'}"));
            assertThat(event.has("related")).isFalse();
            assertThat(event.get("metadata").get("namespace").asText()).isEqualTo("default");
            assertThat(event.get("metadata").get("name").asText()).startsWith("gang.");
            assertThat(event.get("reportingController").asText()).isEqualTo("batch-scheduler");
            assertThat(event.get("reason").asText()).isEqualTo("FailedScheduling");
            assertThat(event.get("type").asText()).isEqualTo("Warning");
            assertThat(event.get("note").asText()).isEqualTo("2 of the 3 pods");
        }

        @Test
        void nameARelatedGroupByItsKind() throws InterruptedException {
            server.on("POST", EVENTS, request -> Response.status(201, "", ""));
            ObjectMeta.Builder meta = ObjectMeta.named("gang").namespace("default");

            for (ClusterObject group : List.of(
                    PodGroup.of(meta.uid("g1").build()).build(),
                    CompositePodGroup.of(meta.uid("g2").build()).build())) {
                cluster.report(PodEvent.normal(pod("u1"), "Preempted", "Preempting", "by " + group)
                        .withRelated(group));
                ObjectKind<?> kind = ObjectKind.of(group);
                assertThat(json(server.takeRequest().body()).get("related"))
                        .isEqualTo(json("{'apiVersion': '" + kind.apiVersion() + "', 'kind': '" + kind.kind()
                                + "', 'namespace': 'default', 'name': 'gang', 'uid': '"
                                + group.metadata().uid()
                                + "'}"));
            }
        }

        @Test
        void becomeASeriesWhenTheyComeAgainAndAreCountedUntilItEnds() throws InterruptedException {
            server.on("POST", EVENTS, request -> Response.status(201, "", ""));
            server.on("PATCH", EVENTS + "/*", request -> Response.ok("{}"));
            cluster.report(failed("0/1 nodes"));
            String path = EVENTS + "/"
                    + json(server.takeRequest().body()).at("/metadata/name").textValue();

            time.set(NOW.plusSeconds(10));
            cluster.report(failed("0/2 nodes"));
            Request second = server.takeRequest();
            assertThat(second.method() + " " + second.path()).isEqualTo("PATCH " + path);
            assertThat(json(second.body()))
                    .isEqualTo(json("{'series': {'count': 2, 'lastObservedTime': '2026-11-21T09:30:10.123456Z'}}"));

            time.set(NOW.plusSeconds(20));
            cluster.report(failed("0/3 nodes"));
            cluster.report(failed("0/4 nodes"));
            awaitPosted("Fence");
            time.set(NOW.plusSeconds(20 + 7 * 60));
            cluster.report(failed("0/5 nodes"));

            Request last = server.takeRequest();
            assertThat(last.path()).isEqualTo(path);
            assertThat(json(last.body()))
                    .isEqualTo(json("{'series': {'count': 4, 'lastObservedTime': '2026-11-21T09:30:20.123456Z'}}"));
            assertThat(json(server.takeRequest().body()).path("note").textValue())
                    .isEqualTo("0/5 nodes");
        }

        static final Duration[] SET_BACK = {Duration.ZERO, Duration.ofHours(1), Duration.ofHours(-1)};

        @ParameterizedTest
        @FieldSource("SET_BACK")
        void ofASeriesThatEndedAreCountedOnceMoreForAnyClockChange(Duration by) throws InterruptedException {
            server.on("POST", EVENTS, request -> Response.status(201, "", ""));
            server.on("PATCH", EVENTS + "/*", request -> Response.ok("{}"));
            for (int i = 0; i < 5; i++) {
                cluster.report(failed("0/1 nodes"));
            }
            server.takeRequest();
            assertThat(json(server.takeRequest().body()).at("/series/count").intValue())
                    .isEqualTo(2);
            awaitPosted("First");

            setBack = by;
            time.set(NOW.plusSeconds(7 * 60));
            cluster.report(PodEvent.normal(pod("u1"), "Second", "Testing", "all"));

            assertThat(List.of(server.takeRequest(), server.takeRequest()))
                    .extracting(
                            request -> request.method() + json(request.body()).at("/series/count"))
                    .containsExactlyInAnyOrder("POST", "PATCH5");
        }

        private void awaitPosted(String reason) throws InterruptedException {
            cluster.report(PodEvent.normal(pod("u1"), reason, "Testing", "all"));
            assertThat(json(server.takeRequest().body()).path("reason").textValue())
                    .isEqualTo(reason);
        }

        @Test
        void thatExpiredInTheMeantimeArePostedAnew() throws InterruptedException {
            server.on("POST", EVENTS, request -> Response.status(201, "", ""));
            cluster.report(failed("0/1 nodes"));
            assertThat(server.takeRequest().method()).isEqualTo("POST");

            cluster.report(failed("0/2 nodes"));

            assertThat(server.takeRequest().method()).isEqualTo("PATCH");
            assertThat(json(server.takeRequest().body()).path("note").textValue())
                    .isEqualTo("0/2 nodes");
        }

        @Test
        void areTriedAgainWhenThatMayHelpAndElseDropped() throws InterruptedException {
            AtomicInteger tries = new AtomicInteger();
            List<Response> answers = List.of(
                    Response.status(500, "InternalError", "oops"),
                    Response.status(403, "Forbidden", "no"),
                    Response.status(201, "", ""));
            server.on("POST", EVENTS, request -> answers.get(tries.getAndIncrement()));

            try (KubernetesCluster retrying = open(settings(MonotonicClock.system()))) {
                retrying.report(failed("first"));
                retrying.report(failed("second"));

                assertThat(List.of(server.takeRequest(), server.takeRequest(), server.takeRequest()))
                        .extracting(request -> json(request.body()).path("note").textValue())
                        .containsExactly("first", "first", "second");
            }
        }

        @Test
        void areDroppedRatherThanWaitedFor() throws InterruptedException {
            CompletableFuture<Void> hold = new CompletableFuture<>();
            server.on("POST", EVENTS, request -> {
                // Not a byte of the answer is sent before the test is over.
                hold.join();
                return Response.status(201, "", "");
            });
            CapturedLog log = CapturedLog.of(EventRecorder.class);

            cluster.report(failed("held"));
            server.takeRequest();
            for (int i = 0; i < 2000; i++) {
                cluster.report(failed("more"));
            }

            assertThat(log.warnings())
                    .hasSize(1)
                    .allSatisfy(warning -> assertThat(warning).startsWith("Dropping events"));
            hold.complete(null);
        }

        record Note(String name, String note, String posted) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Note> NOTES = List.of(
                new Note("one that fits", "a".repeat(1024), "a".repeat(1024)),
                new Note("one that is too long", "a".repeat(1025), "a".repeat(1020) + " ..."),
                new Note("one whose characters take several bytes", "ä".repeat(513), "ä".repeat(510) + " ..."),
                new Note(
                        "one that would be cut within a character",
                        "a" + "ä".repeat(512),
                        "a" + "ä".repeat(509) + " ..."),
                new Note("one of characters outside the basic plane", "🚢".repeat(257), "🚢".repeat(255) + " ..."));

        @ParameterizedTest
        @FieldSource("NOTES")
        void areCutToWhatTheServerTakes(Note note) {
            assertThat(EventJson.truncated(note.note)).isEqualTo(note.posted);
        }

        private static PodEvent failed(String note) {
            return PodEvent.warning(pod("u1"), "FailedScheduling", "Scheduling", note);
        }
    }

    private static Pod pod(String uid) {
        return Pod.of(
                ObjectMeta.named("web")
                        .namespace("default")
                        .uid(uid)
                        .resourceVersion("7")
                        .build(),
                PodSpec.builder().build());
    }

    private static JsonNode json(String text) {
        try {
            return ObjectStreams.object(text.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
