// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.kubernetes.WatchStatus.Condition;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

/** Tests the notifications of a cluster's listener for all responses of the API server to lists and watches. */
@Timeout(60)
class ReflectorTest {
    private static final String PODS = "/api/v1/pods";
    private static final Instant NOW = Instant.parse("2026-11-21T09:30:00.123456789Z");
    private static final String END = "";
    private static final RetryBackoff FAST = new RetryBackoff(Duration.ofMillis(5), Duration.ofMillis(20));

    private final FakeApiServer server = FakeApiServer.start();
    private final Told told = new Told();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final KubernetesCluster cluster = open(new ClusterSettings(
            0,
            1,
            Duration.ofSeconds(10),
            new WatchSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMillis(50), FAST, FAST),
            FAST,
            "host-1",
            RequestMetrics.NONE,
            MonotonicClock.system()));

    private KubernetesCluster open(ClusterSettings settings) {
        return new KubernetesCluster(
                new ApiClient(server.address(), new OkHttpClient()), settings, () -> NOW, new Random(1), work -> {
                    Thread thread = new Thread(work);
                    threads.add(thread);
                    return thread;
                });
    }

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    private WatchStatus status() {
        return cluster.watchStatuses().get(0);
    }

    /** Returns the status after that many lists; the listener is notified a moment before. */
    private WatchStatus statusAfter(int lists) {
        WatchStatus status = status();
        while (status.lists() < lists) {
            Thread.onSpinWait();
            status = status();
        }
        return status;
    }

    /** Records the notifications of a listener. */
    private static final class Told implements ClusterListener {
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private final List<ClusterObject> objects = new CopyOnWriteArrayList<>();
        private final Map<String, ClusterObject> known = new ConcurrentHashMap<>();

        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> all) {
            objects.addAll(all);
            known.clear();
            all.forEach(object -> known.put(object.key(), object));
            lines.add(all.stream().map(ClusterObject::key).collect(Collectors.joining(" ", "replaced: ", "")));
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            objects.add(object);
            known.put(object.key(), object);
            lines.add("applied: " + object.key() + "@" + object.metadata().resourceVersion());
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            objects.add(object);
            known.remove(object.key());
            lines.add("deleted: " + object.key());
        }

        @Override
        public Set<String> askedBy(ObjectKind<?> asked) {
            return new TreeSet<>(Set.of("Quotas", "Tenants"));
        }

        @Override
        public <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {
            lines.add("unavailable: " + reason);
        }

        @Override
        public <T extends ClusterObject> Optional<T> known(ObjectKind<T> kind, String namespace, String name) {
            return Optional.ofNullable(known.get(namespace.isEmpty() ? name : namespace + "/" + name))
                    .map(kind.type()::cast);
        }

        String next() throws InterruptedException {
            return lines.take();
        }
    }

    private static String pod(String name, int version) {
        return "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"default\",\"resourceVersion\":\"" + version
                + "\"},\"spec\":{},\"status\":{}}";
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":"
                + object.replaceFirst("\\{", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",") + "}";
    }

    private static String list(int version, String continuation, String... items) {
        return listOf(ObjectKind.POD, version, continuation, items);
    }

    private static String listOf(ObjectKind<?> kind, int version, String continuation, String... items) {
        return "{\"kind\":\"" + kind.kind() + "List\",\"apiVersion\":\"" + kind.apiVersion()
                + "\",\"metadata\":{\"resourceVersion\":\"" + version + "\",\"continue\":\"" + continuation
                + "\"},\"items\":[" + String.join(",", items) + "]}";
    }

    /** Lists nothing, at version 1, and answers each watch with the next stream. */
    private BlockingQueue<BlockingQueue<String>> emptyListAndWatches() {
        BlockingQueue<BlockingQueue<String>> streams = new LinkedBlockingQueue<>();
        server.on("GET", PODS, request -> {
            if (!request.query().containsKey("watch")) {
                return Response.ok(list(1, ""));
            }
            BlockingQueue<String> lines = streams.poll();
            return Response.stream(lines == null ? new LinkedBlockingQueue<>() : lines);
        });
        return streams;
    }

    private static BlockingQueue<String> stream(String... lines) {
        return new LinkedBlockingQueue<>(List.of(lines));
    }

    private void watchPods() {
        cluster.watch(Set.of(ObjectKind.POD), KeptJson.NONE, told);
    }

    @Nested
    class Listing {
        @Test
        void readsPageAfterPageAndReportsAllTogether() throws InterruptedException {
            Map<String, String> pages = Map.of(
                    "", list(5, "two", pod("a", 1), pod("b", 2)),
                    "two", list(5, "three", pod("c", 3)),
                    "three", list(5, "", pod("d", 4)));
            server.on(
                    "GET",
                    PODS,
                    request -> request.query().containsKey("watch")
                            ? Response.stream(stream())
                            : Response.ok(pages.get(request.query().getOrDefault("continue", ""))));

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: default/a default/b default/c default/d");
            assertThat(server.takeRequest().query())
                    .isEqualTo(Map.of("limit", "500", "fieldSelector", "status.phase!=Succeeded,status.phase!=Failed"));
            assertThat(server.takeRequest().query()).containsEntry("continue", "two");
            assertThat(server.takeRequest().query()).containsEntry("continue", "three");
            Map<String, String> watch = server.takeRequest().query();
            assertThat(watch)
                    .containsEntry("watch", "true")
                    .containsEntry("allowWatchBookmarks", "true")
                    .containsEntry("resourceVersion", "5")
                    .containsEntry("fieldSelector", "status.phase!=Succeeded,status.phase!=Failed");
            assertThat(Integer.parseInt(watch.get("timeoutSeconds"))).isBetween(24, 30);
        }

        @Test
        void asksForAllAtOnceWhenThePagesGrowOld() throws InterruptedException {
            server.on("GET", PODS, request -> {
                if (request.query().containsKey("watch")) {
                    return Response.stream(stream());
                }
                if (request.query().containsKey("continue")) {
                    return Response.status(410, "Expired", "The provided continue parameter is too old");
                }
                return Response.ok(
                        request.query().containsKey("limit")
                                ? list(5, "two", pod("a", 1))
                                : list(6, "", pod("a", 1), pod("b", 2)));
            });

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: default/a default/b");
        }

        @Test
        void ignoresFieldsOfNewerServers() throws InterruptedException {
            String item =
                    "{\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"resourceVersion\":\"2\",\"invented\":[1]},"
                            + "\"spec\":{\"invented\":{\"x\":1},\"priority\":7,\"containers\":[{\"name\":\"c\",\"invented\":2}]},"
                            + "\"status\":{\"invented\":null},\"invented\":\"y\"}";
            server.on(
                    "GET",
                    PODS,
                    request -> request.query().containsKey("watch")
                            ? Response.stream(stream(event("ADDED", item.replace("\"a\"", "\"b\""))))
                            : Response.ok(list(1, "", item)));

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: default/a");
            assertThat(told.next()).startsWith("applied: default/b");
            assertThat(told.objects)
                    .allSatisfy(object ->
                            assertThat(((Pod) object).spec().priority()).isEqualTo(7));
        }

        @Test
        void keepsTheTextOfWaitingPodsOnlyIfAsked() throws InterruptedException {
            server.on(
                    "GET",
                    PODS,
                    request -> request.query().containsKey("watch")
                            ? Response.stream(stream())
                            : Response.ok(list(1, "", pod("a", 1))));

            cluster.watch(Set.of(ObjectKind.POD), Set.of(KeptJson.PENDING_PODS), told);

            assertThat(told.next()).isEqualTo("replaced: default/a");
            assertThat(((Pod) told.objects.get(0)).json().orElseThrow()).contains("\"kind\":\"Pod\"");
        }

        record NoList(String name, int code, String body) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<NoList> NO_LISTS = List.of(
                new NoList("an empty object", 200, "{}"),
                new NoList("nothing", 200, ""),
                new NoList("a page of a proxy", 200, "<html>Sign in</html>"),
                new NoList("a Status", 200, "{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Success'}"),
                new NoList(
                        "a Status with a version",
                        200,
                        "{'kind':'Status','apiVersion':'v1','metadata':{'resourceVersion':'9'},'items':[]}"),
                new NoList(
                        "a list of another kind",
                        200,
                        "{'kind':'NodeList','apiVersion':'v1','metadata':{'resourceVersion':'9'},'items':[]}"),
                new NoList(
                        "a list of another group",
                        200,
                        "{'kind':'PodList','apiVersion':'x/v1','metadata':{'resourceVersion':'9'},'items':[]}"),
                new NoList(
                        "a list without a version",
                        200,
                        "{'kind':'PodList','apiVersion':'v1','metadata':{},'items':[]}"),
                new NoList(
                        "a list without items",
                        200,
                        "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'9'}}"),
                new NoList(
                        "half a list",
                        200,
                        "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'9'},'items':[{'metadata':{'name':'a'}}"),
                new NoList("an error", 500, "{'kind':'Status','code':500,'message':'etcdserver: no leader'}"));

        @ParameterizedTest
        @FieldSource("NO_LISTS")
        void changesNothingOn(NoList answer) throws InterruptedException {
            List<Response> lists = List.of(
                    Response.ok(list(1, "", pod("a", 1))),
                    Response.of(answer.code, answer.body.replace('\'', '"')),
                    Response.of(answer.code, answer.body.replace('\'', '"')),
                    Response.ok(list(2, "", pod("a", 1), pod("b", 2))));
            AtomicInteger next = new AtomicInteger();
            AtomicInteger watches = new AtomicInteger();
            server.on("GET", PODS, request -> {
                if (!request.query().containsKey("watch")) {
                    return lists.get(next.getAndIncrement());
                }
                return watches.getAndIncrement() == 0
                        ? Response.status(410, "Expired", "too old")
                        : Response.stream(new LinkedBlockingQueue<>());
            });

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: default/a");
            assertThat(told.next()).isEqualTo("replaced: default/a default/b");
            assertThat(statusAfter(2).failures()).isEqualTo(2);
        }
    }

    @Nested
    class ObjectsThatCannotBeRead {
        private static final String READABLE = pod(
                "bad",
                1,
                "{'nodeName':'n','containers':[{'name':'c','resources':{'requests':{'cpu':'1','memory':'1Gi'}}}]}");
        private static final String UNREADABLE = pod(
                "bad",
                2,
                "{'nodeName':'n','containers':[{'name':'c','resources':{'requests':{'cpu':'lots','memory':'2Gi'}}}]}");
        private static final String UNBOUND = pod("bad", 1, "{'containers':[{'name':'c'}]}");
        private static final String UNREADABLE_UNBOUND =
                pod("bad", 2, "{'containers':[{'name':'c','resources':{'requests':{'cpu':'lots'}}}]}");
        private static final String OTHER = pod("other", 1, "{}");

        private static String pod(String name, int version, String spec) {
            return "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"default\",\"uid\":\"" + name
                    + "-uid\",\"resourceVersion\":\"" + version + "\"},\"spec\":" + spec.replace('\'', '"') + "}";
        }

        /**
         * One case.
         *
         * @param first the first list
         * @param events the events of the watch
         * @param second the list after the watch has expired
         * @param counted the final memory of the pod that cannot be read, or empty if it is skipped
         */
        record Case(String name, List<String> first, List<String> events, List<String> second, OptionalLong counted) {
            @Override
            public String toString() {
                return name;
            }
        }

        private static final OptionalLong AS_LAST_KNOWN = OptionalLong.of(1L << 30);
        private static final OptionalLong AS_FAR_AS_READ = OptionalLong.of(2L << 30);
        private static final OptionalLong WITHOUT_REQUESTS = OptionalLong.of(0);
        private static final OptionalLong LEFT_OUT = OptionalLong.empty();

        static final List<Case> CASES = List.of(
                new Case(
                        "a bound pod counts as last known when an update of it cannot be read",
                        List.of(READABLE, OTHER),
                        List.of(event("MODIFIED", UNREADABLE)),
                        List.of(UNREADABLE, OTHER),
                        AS_LAST_KNOWN),
                new Case(
                        "a bound pod keeps its last known state if only a list reports it",
                        List.of(READABLE, OTHER),
                        List.of(),
                        List.of(UNREADABLE, OTHER),
                        AS_LAST_KNOWN),
                new Case(
                        "a bound pod that was never known counts as far as it can be read",
                        List.of(UNREADABLE, OTHER),
                        List.of(),
                        List.of(UNREADABLE, OTHER),
                        AS_FAR_AS_READ),
                new Case(
                        "a bound pod that a watch reports counts as far as it can be read",
                        List.of(OTHER),
                        List.of(event("ADDED", UNREADABLE)),
                        List.of(UNREADABLE, OTHER),
                        AS_FAR_AS_READ),
                new Case(
                        "a pod that has been bound since counts as far as it can be read",
                        List.of(UNBOUND, OTHER),
                        List.of(event("MODIFIED", UNREADABLE)),
                        List.of(UNREADABLE, OTHER),
                        AS_FAR_AS_READ),
                new Case(
                        "a pending pod that was never known is skipped",
                        List.of(UNREADABLE_UNBOUND, OTHER),
                        List.of(event("MODIFIED", UNREADABLE_UNBOUND)),
                        List.of(UNREADABLE_UNBOUND, OTHER),
                        LEFT_OUT),
                new Case(
                        "a waiting pod stays as last known",
                        List.of(UNBOUND, OTHER),
                        List.of(event("MODIFIED", UNREADABLE_UNBOUND)),
                        List.of(UNREADABLE_UNBOUND, OTHER),
                        WITHOUT_REQUESTS),
                new Case(
                        "a pod that is gone from the list is gone",
                        List.of(UNREADABLE, OTHER),
                        List.of(),
                        List.of(OTHER),
                        LEFT_OUT),
                new Case(
                        "a pod that was deleted is gone",
                        List.of(READABLE, OTHER),
                        List.of(event("MODIFIED", UNREADABLE), event("DELETED", UNREADABLE)),
                        List.of(OTHER),
                        LEFT_OUT),
                new Case(
                        "a pod that can be read again counts as it is",
                        List.of(UNREADABLE, OTHER),
                        List.of(event("MODIFIED", READABLE)),
                        List.of(READABLE, OTHER),
                        AS_LAST_KNOWN));

        @ParameterizedTest
        @FieldSource("CASES")
        void doNotConcernOthers(Case c) throws InterruptedException {
            CapturedLog log = CapturedLog.of(WatchedObjects.class);
            AtomicInteger lists = new AtomicInteger();
            server.on("GET", PODS, request -> {
                if (request.query().containsKey("watch")) {
                    List<String> lines = new ArrayList<>(c.events);
                    lines.add(event("ERROR", "{\"code\":410,\"message\":\"too old\"}"));
                    return Response.stream(
                            lists.get() == 1 ? stream(lines.toArray(String[]::new)) : new LinkedBlockingQueue<>());
                }
                return Response.ok(
                        list(5, "", (lists.getAndIncrement() == 0 ? c.first : c.second).toArray(String[]::new)));
            });

            watchPods();

            for (int replaced = 0; replaced < 2; ) {
                replaced += told.next().startsWith("replaced: ") ? 1 : 0;
            }
            assertThat(told.known).containsKey("default/other");
            ClusterObject bad = told.known.get("default/bad");
            assertThat(bad instanceof Pod pod ? OptionalLong.of(pod.requests().memory()) : OptionalLong.empty())
                    .isEqualTo(c.counted);
            assertThat(log.warnings())
                    .hasSize(1)
                    .allSatisfy(warning -> assertThat(warning)
                            .contains("Pod default/bad: spec.containers[0].resources.requests.cpu: \"lots\""
                                    + " (expected: a quantity such as 2, 500m or 1536Mi)"));
            boolean isUnreadable = !c.second.get(0).equals(READABLE) && c.second.size() == 2;
            assertThat(statusAfter(2).unreadableObjects()).isEqualTo(isUnreadable ? 1 : 0);
            assertThat(statusAfter(2).note())
                    .isEqualTo(isUnreadable ? Optional.of("pods: 1 cannot be read") : Optional.empty());
        }
    }

    @Nested
    class KindsThatCannotBeListed {
        record Case(String name, ObjectKind<?> kind, int code, Condition condition, boolean isReady, String told) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a kind that the server lacks is no obstacle",
                        ObjectKind.RESOURCE_CLAIM,
                        404,
                        Condition.NOT_SERVED,
                        true,
                        "unavailable: resourceclaims.resource.k8s.io is not served by the API server"),
                new Case(
                        "a kind that must not be listed is a configuration error",
                        ObjectKind.POD_DISRUPTION_BUDGET,
                        403,
                        Condition.NOT_ALLOWED,
                        false,
                        "unavailable: poddisruptionbudgets.policy must not be listed"),
                new Case(
                        "a custom resource is missed by the plugins that ask for it",
                        ObjectKind.other("example.com/v1", "Tenant", "tenants", false),
                        404,
                        Condition.NOT_SERVED,
                        true,
                        "unavailable: tenants.example.com is not served by the API server, and is asked for by Quotas,"
                                + " Tenants"),
                new Case(
                        "a kind that is answered with something else than a list",
                        ObjectKind.RESOURCE_SLICE,
                        200,
                        Condition.NOT_LISTABLE,
                        false,
                        "unavailable: resourceslices.resource.k8s.io cannot be listed"),
                new Case(
                        "a kind whose list is refused as a bad request",
                        ObjectKind.CSI_NODE,
                        400,
                        Condition.NOT_LISTABLE,
                        false,
                        "unavailable: csinodes.storage.k8s.io cannot be listed"),
                new Case(
                        "a kind that the server cannot convert",
                        ObjectKind.other("example.com/v1", "Tenant", "tenants", false),
                        500,
                        Condition.NOT_LISTABLE,
                        false,
                        "unavailable: tenants.example.com cannot be listed, and is asked for by Quotas, Tenants"));

        @ParameterizedTest
        @FieldSource("CASES")
        void areDoneWithoutUntilTheyAreThere(Case c) throws InterruptedException {
            AtomicBoolean isRefused = new AtomicBoolean(true);
            String path = ApiServer.path(c.kind, "", "");
            server.on("GET", path, request -> {
                if (isRefused.get()) {
                    return c.code == 200 ? Response.ok("no list") : Response.status(c.code, "Refused", "no");
                }
                return request.query().containsKey("watch")
                        ? Response.stream(new LinkedBlockingQueue<>())
                        : Response.ok(listOf(c.kind, 1, ""));
            });

            cluster.watch(Set.of(c.kind), KeptJson.NONE, told);

            assertThat(told.next()).isEqualTo(c.told);
            assertThat(status().condition()).isEqualTo(c.condition);
            assertThat(status().isReady()).isEqualTo(c.isReady);
            assertThat(status().note().orElseThrow()).contains("no");

            isRefused.set(false);
            String next = told.next();
            while (next.startsWith("unavailable: ")) {
                next = told.next();
            }
            assertThat(next).isEqualTo("replaced: ");
            assertThat(statusAfter(1).isReady()).isTrue();
        }

        static final List<ObjectKind<?>> REQUIRED = List.of(ObjectKind.POD, ObjectKind.NODE);

        @ParameterizedTest
        @FieldSource("REQUIRED")
        void areWaitedForIfNothingWorksWithoutThem(ObjectKind<?> kind) throws InterruptedException {
            AtomicInteger requests = new AtomicInteger();
            server.on("GET", ApiServer.path(kind, "", ""), request -> {
                if (requests.incrementAndGet() < 20) {
                    return Response.status(403, "Forbidden", "no");
                }
                return request.query().containsKey("watch")
                        ? Response.stream(new LinkedBlockingQueue<>())
                        : Response.ok(listOf(kind, 1, ""));
            });

            cluster.watch(Set.of(kind), KeptJson.NONE, told);

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(requests).hasValueGreaterThanOrEqualTo(20);
        }
    }

    @Nested
    class Watching {
        @Test
        void reportsEachEventAndContinuesFromTheLastBookmark() throws InterruptedException {
            emptyListAndWatches()
                    .add(stream(
                            event("ADDED", pod("a", 2)),
                            event("MODIFIED", pod("a", 3)),
                            event("DELETED", pod("a", 4)),
                            event("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"9\"}}"),
                            END));

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("applied: default/a@2");
            assertThat(told.next()).isEqualTo("applied: default/a@3");
            assertThat(told.next()).isEqualTo("deleted: default/a");
            server.takeRequest();
            assertThat(server.takeRequest().query()).containsEntry("resourceVersion", "1");
            assertThat(server.takeRequest().query()).containsEntry("resourceVersion", "9");
        }

        @Test
        void listsAgainWhenAnEventSaysThatTheVersionIsTooOld() throws InterruptedException {
            emptyListAndWatches()
                    .add(stream(event("ADDED", pod("a", 2)), event("ERROR", "{\"code\":410,\"message\":\"too old\"}")));

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("applied: default/a@2");
            assertThat(told.next()).isEqualTo("replaced: ");
        }

        @Test
        void listsAgainWhenTheAnswerSaysThatTheVersionIsTooOld() throws InterruptedException {
            AtomicInteger watches = new AtomicInteger();
            server.on("GET", PODS, request -> {
                if (!request.query().containsKey("watch")) {
                    return Response.ok(list(1, ""));
                }
                return watches.incrementAndGet() < 3
                        ? Response.status(410, "Expired", "too old resource version")
                        : Response.stream(stream());
            });

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("replaced: ");
        }

        record Case(String name, List<String> lines, List<String> versions) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "half an event, again and again",
                        List.of("{\"type\":\"ADDED\",\"object\":{", END),
                        List.of("2", "2", "2", "2")),
                new Case("bad JSON", List.of("{\"type\": ][", END), List.of("2", "list", "2", "2", "list", "2")),
                new Case(
                        "an unknown type",
                        List.of(event("INVENTED", pod("b", 5))),
                        List.of("2", "list", "2", "2", "list", "2")),
                new Case(
                        "an object of another kind",
                        List.of(
                                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"metadata\":{\"resourceVersion\":\"9\"}}}"),
                        List.of("2", "list", "2", "2", "list", "2")),
                new Case(
                        "an object without a version",
                        List.of("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}"),
                        List.of("2", "list", "2", "2", "list", "2")),
                new Case(
                        "a page of a proxy",
                        List.of("<html>Sign in</html>"),
                        List.of("2", "list", "2", "2", "list", "2")),
                new Case(
                        "an error of the server",
                        List.of(event("ERROR", "{\"code\":500,\"message\":\"oops\"}")),
                        List.of("list", "2", "list", "2")),
                new Case(
                        "a server that is busy",
                        List.of(event("ERROR", "{\"code\":429,\"message\":\"later\"}")),
                        List.of("2", "2", "2")),
                new Case(
                        "an expired version, again and again",
                        List.of(event("ERROR", "{\"code\":410,\"message\":\"too old\"}")),
                        List.of("list", "2", "list", "2")),
                new Case("nothing", List.of(END), List.of("2", "2", "2", "2")));

        @ParameterizedTest
        @FieldSource("CASES")
        void continuesOrListsAgainAfter(Case c) throws InterruptedException {
            server.on(
                    "GET",
                    PODS,
                    request -> request.query().containsKey("watch")
                            ? Response.stream(stream(c.lines.toArray(String[]::new)))
                            : Response.ok(list(2, "")));

            watchPods();

            List<String> asked = new ArrayList<>();
            server.takeRequest();
            server.takeRequest();
            while (asked.size() < c.versions.size()) {
                asked.add(server.takeRequest().query().getOrDefault("resourceVersion", "list"));
            }
            assertThat(asked).isEqualTo(c.versions);
        }

        @Test
        void missesNoEventWhenOneIsCut() throws InterruptedException {
            BlockingQueue<BlockingQueue<String>> streams = emptyListAndWatches();
            streams.add(stream(event("ADDED", pod("a", 2)), "{\"type\":\"ADDED\",\"object\":{\"kind\"", END));
            streams.add(stream(event("ADDED", pod("b", 3))));

            watchPods();

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("applied: default/a@2");
            assertThat(told.next()).isEqualTo("applied: default/b@3");
        }

        @Test
        void isNotBlindWhileTheServerEndsWatchesThatHadEvents() throws InterruptedException {
            AtomicInteger version = new AtomicInteger(1);
            server.on("GET", PODS, request -> {
                int next = version.incrementAndGet();
                return request.query().containsKey("watch")
                        ? Response.stream(stream(event("ADDED", pod("pod-" + next, next)), END))
                        : Response.ok(list(1, ""));
            });
            // After a watch without an event it would wait for longer than the test.
            try (KubernetesCluster patient = open(withBackoff(Duration.ofHours(1)))) {
                patient.watch(Set.of(ObjectKind.POD), KeptJson.NONE, told);
                assertThat(told.next()).isEqualTo("replaced: ");
                for (int number = 3; number < 23; number++) {
                    assertThat(told.next()).isEqualTo("applied: default/pod-" + number + "@" + number);
                }
            }
        }

        @Test
        void asksSeldomHoweverOftenWatchesEnd() throws InterruptedException {
            AtomicInteger version = new AtomicInteger(1);
            server.on(
                    "GET",
                    PODS,
                    request -> request.query().containsKey("watch")
                            ? Response.stream(stream(
                                    event(
                                            "BOOKMARK",
                                            "{\"metadata\":{\"resourceVersion\":\"" + version.incrementAndGet()
                                                    + "\"}}"),
                                    END))
                            : Response.ok(list(1, "")));
            try (KubernetesCluster watching = open(withBackoff(Duration.ofMillis(200)))) {
                long start = System.nanoTime();
                watching.watch(Set.of(ObjectKind.POD), KeptJson.NONE, told);
                // A list, and six watches.
                for (int i = 0; i < 7; i++) {
                    server.takeRequest();
                }
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isGreaterThanOrEqualTo(Duration.ofMillis(5 * 200));
            }
        }

        private static ClusterSettings withBackoff(Duration initial) {
            ClusterSettings settings = ClusterSettings.on("host-1");
            return new ClusterSettings(
                    0,
                    1,
                    settings.requestTimeout(),
                    settings.watches(),
                    new RetryBackoff(initial, initial),
                    settings.hostName(),
                    settings.metrics(),
                    settings.monotonicClock());
        }

        @Test
        void detectsADeadConnectionAndContinues() throws InterruptedException {
            BlockingQueue<BlockingQueue<String>> streams = emptyListAndWatches();
            streams.add(stream(event("ADDED", pod("a", 2))));
            WatchSettings hasty =
                    new WatchSettings(Duration.ofSeconds(1), Duration.ofMillis(200), Duration.ZERO, FAST, FAST);
            try (KubernetesCluster watching = open(new ClusterSettings(
                    0,
                    1,
                    Duration.ofSeconds(10),
                    hasty,
                    FAST,
                    "host-1",
                    RequestMetrics.NONE,
                    MonotonicClock.system()))) {
                watching.watch(Set.of(ObjectKind.POD), KeptJson.NONE, told);
                assertThat(told.next()).isEqualTo("replaced: ");
                assertThat(told.next()).isEqualTo("applied: default/a@2");
                server.takeRequest();
                server.takeRequest();

                // The first watch is silent from now on, and the server does not end it.
                Request second = server.takeRequest();

                assertThat(second.query()).containsEntry("resourceVersion", "2").containsEntry("timeoutSeconds", "1");
                assertThat(watching.watchStatuses().get(0).failures()).isEqualTo(1);
            }
        }

        @Test
        void waitsForAServerThatIsDownAndSaysSoOnce() throws InterruptedException {
            emptyListAndWatches();
            server.stop();
            CapturedLog outages = CapturedLog.of(ServerOutage.class);
            CapturedLog log = CapturedLog.of(WatchProgress.class);

            CompletableFuture<Void> watch = CompletableFuture.runAsync(ReflectorTest.this::watchPods);
            List<Level> levels = List.of(log.next(), log.next(), log.next(), log.next());
            assertThat(watch).isNotDone();
            server.restart();
            watch.join();

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(levels).containsOnly(Level.DEBUG);
            assertThat(outages.lines())
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("WARN The API server does not answer; trying again"),
                            line -> assertThat(line).startsWith("INFO The API server answers again"));
        }

        @Test
        void continuesWhereItWasWhenTheServerReturns() throws InterruptedException {
            BlockingQueue<BlockingQueue<String>> streams = emptyListAndWatches();
            streams.add(stream(event("ADDED", pod("a", 7))));
            watchPods();
            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("applied: default/a@7");
            streams.add(stream(event("ADDED", pod("b", 8))));

            server.stop();
            server.restart();

            assertThat(told.next()).isEqualTo("applied: default/b@8");
            server.takeRequest();
            assertThat(server.takeRequest().query()).containsEntry("resourceVersion", "1");
            assertThat(server.takeRequest().query()).containsEntry("resourceVersion", "7");
        }

        @Test
        void listsAgainAfterTheListenerFailed() throws InterruptedException {
            emptyListAndWatches().add(stream(event("ADDED", pod("a", 2))));
            ClusterListener failing = new ClusterListener() {
                @Override
                public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> all) {
                    told.replaced(kind, all);
                }

                @Override
                public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
                    throw new IllegalStateException("a fault");
                }

                @Override
                public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {}
            };

            cluster.watch(Set.of(ObjectKind.POD), KeptJson.NONE, failing);

            assertThat(told.next()).isEqualTo("replaced: ");
            assertThat(told.next()).isEqualTo("replaced: ");
        }

        @Test
        void endsAtOnceWhenClosed() throws InterruptedException {
            emptyListAndWatches();
            // The watch lasts longer than the test.
            KubernetesCluster watching = open(ClusterSettings.on("host-1").withRate(0, 1));
            watching.watch(Set.of(ObjectKind.POD), KeptJson.NONE, told);
            server.takeRequest();
            server.takeRequest();

            watching.close();
            watching.close();

            assertThat(threads).hasSize(1 + 2 * EventRecorder.THREADS);
            cluster.close();
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
