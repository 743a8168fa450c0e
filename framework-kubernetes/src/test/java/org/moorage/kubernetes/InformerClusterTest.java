// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;
import org.slf4j.LoggerFactory;

class InformerClusterTest {
    private static final Set<ObjectKind<?>> PODS_AND_NODES = Set.of(ObjectKind.POD, ObjectKind.NODE);

    private final FakeApiServer server = FakeApiServer.start();
    private final Informer pods = new Informer();
    private final Informer nodes = new Informer();
    private final Map<ObjectKind<?>, Informer> informers =
            new ConcurrentHashMap<>(Map.of(ObjectKind.POD, pods, ObjectKind.NODE, nodes));
    private final Told told = new Told();
    private final InformerCluster cluster = new InformerCluster(
            new ApiClient(server.address(), new OkHttpClient()),
            new ClusterSettings(
                    0,
                    1,
                    Duration.ofSeconds(1),
                    WatchSettings.DEFAULTS,
                    new RetryBackoff(Duration.ofMillis(5), Duration.ofMillis(20)),
                    "host-1",
                    RequestMetrics.NONE,
                    InstantSource.system()),
            kind -> Optional.ofNullable(informers.get(kind)),
            InstantSource.system(),
            new Random(1),
            Thread::new);

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    @Test
    void reportsAllObjectsOnceAndThenChanges() throws InterruptedException {
        nodes.put(object("n1", "1"));
        pods.put(object("a", "1"));
        watch();
        assertThat(told.next("replaced v1 Node")).isEqualTo("replaced v1 Node [n1@1]");
        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod [a@1]");

        pods.changed(pods.put(object("b", "2")));
        pods.changed(pods.put(object("a", "3")));
        pods.changed(pods.remove("b"));

        assertThat(told.next()).isEqualTo("applied v1 Pod b@2");
        assertThat(told.next()).isEqualTo("applied v1 Pod a@3");
        assertThat(told.next()).isEqualTo("deleted v1 Pod b");
    }

    @Test
    void believesTheInformerRatherThanAnEventThatIsOlder() throws InterruptedException {
        watch();
        told.forget();
        Map<String, Object> first = object("a", "1");
        pods.put(object("a", "2"));

        pods.changed(first);
        pods.remove("a");
        pods.changed(first);

        assertThat(told.next()).isEqualTo("applied v1 Pod a@2");
        assertThat(told.next()).isEqualTo("deleted v1 Pod a");
    }

    @Test
    void waitsForTheInformersOfPodsAndNodes() throws InterruptedException {
        nodes.hasSynced.set(false);
        CompletableFuture<Void> watching = CompletableFuture.runAsync(this::watch);
        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod []");
        assertThat(watching).isNotDone();

        nodes.put(object("n1", "1"));
        nodes.hasSynced.set(true);

        assertThat(told.next("replaced v1 Node")).isEqualTo("replaced v1 Node [n1@1]");
        watching.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void endsTheWaitWhenItIsClosed() throws InterruptedException {
        nodes.hasSynced.set(false);
        CompletableFuture<Void> watching = CompletableFuture.runAsync(this::watch);
        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod []");

        cluster.close();

        assertThatThrownBy(() -> watching.orTimeout(20, TimeUnit.SECONDS).join())
                .hasCauseInstanceOf(ClusterException.class)
                .hasMessageContaining("before all informers have synced");
    }

    @Test
    void doesWithoutAKindWhoseInformerHasNotSyncedUntilItHas() throws InterruptedException {
        Informer services = new Informer();
        services.hasSynced.set(false);
        informers.put(ObjectKind.SERVICE, services);

        cluster.watch(Set.of(ObjectKind.POD, ObjectKind.NODE, ObjectKind.SERVICE), KeptJson.NONE, told);

        assertThat(told.next("unavailable")).startsWith("unavailable v1 Service services are not known");
        services.hasSynced.set(true);
        assertThat(told.next("replaced v1 Service")).isEqualTo("replaced v1 Service []");
    }

    @Test
    void watchesKindsWithoutAnInformer() throws InterruptedException {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        server.on("GET", "/apis/storage.k8s.io/v1/storageclasses", request -> Response.of(404, "404 page not found\n"));
        server.on(
                "GET",
                "/api/v1/services",
                request -> request.query().containsKey("watch")
                        ? Response.stream(events)
                        : Response.ok("{\"kind\":\"ServiceList\",\"apiVersion\":\"v1\",\"metadata\":"
                                + "{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"s\","
                                + "\"namespace\":\"default\",\"resourceVersion\":\"5\"}}]}"));

        cluster.watch(
                Set.of(ObjectKind.POD, ObjectKind.NODE, ObjectKind.SERVICE, ObjectKind.STORAGE_CLASS),
                KeptJson.NONE,
                told);

        assertThat(told.next("replaced v1 Service")).isEqualTo("replaced v1 Service [s@5]");
        assertThat(told.next("unavailable")).contains("StorageClass");
        events.add(
                "{\"type\":\"DELETED\",\"object\":{\"kind\":\"Service\",\"metadata\":{\"name\":\"s\",\"namespace\":\"default\","
                        + "\"resourceVersion\":\"8\"}}}");
        assertThat(told.next("deleted")).isEqualTo("deleted v1 Service s");
        assertThat(cluster.watchStatuses()).hasSize(2);
        events.add("");
    }

    @Test
    void takesAPodThatIsDoneForOneThatIsGone() throws InterruptedException {
        pods.put(done("a", "1"));
        pods.put(object("b", "1"));
        watch();
        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod [b@1]");
        told.forget();

        pods.changed(pods.put(done("b", "2")));

        assertThat(told.next()).isEqualTo("deleted v1 Pod b");
    }

    @Test
    void keepsTheLastStateOfAnUnreadableObjectAndReportsTheOthers() throws InterruptedException {
        pods.put(object("a", "1"));
        watch();
        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod [a@1]");
        told.forget();
        Map<String, Object> unreadable = Map.of("metadata", metadata("a", "2"), "spec", Map.of("priority", "high"));

        pods.changed(pods.put(unreadable));
        pods.changed(pods.put(object("b", "3")));
        Map<String, Object> noJson = Map.of("metadata", metadata("c", "4"), "spec", new Object());
        pods.changed(pods.put(noJson));
        pods.changed(pods.put(object("d", "5")));

        assertThat(told.next()).isEqualTo("applied v1 Pod a@1");
        assertThat(told.next()).isEqualTo("applied v1 Pod b@3");
        assertThat(told.next()).isEqualTo("applied v1 Pod d@5");
    }

    @Test
    void countsABoundPodThatCannotBeReadOnItsNode() throws InterruptedException {
        pods.put(Map.of("metadata", metadata("a", "1"), "spec", Map.of("nodeName", "n1", "priority", "high")));

        watch();

        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod [a@1 on n1]");
    }

    @Test
    void reportsAllObjectsAgainWhenTheListenerHasFailed() throws InterruptedException {
        watch();
        assertThat(told.next("replaced v1 Node")).isEqualTo("replaced v1 Node []");
        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod []");
        told.failsAt = "a";

        pods.changed(pods.put(object("a", "1")));

        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod [a@1]");
    }

    @Test
    void keepsTheTextOfObjectsThatMustHaveIt() throws InterruptedException {
        pods.put(object("a", "1"));
        cluster.watch(PODS_AND_NODES, Set.of(KeptJson.PENDING_PODS), told);

        assertThat(told.next("replaced v1 Pod")).isEqualTo("replaced v1 Pod [a@1]");
        assertThat(((Pod) told.known.get("v1 Pod a")).json().orElseThrow()).contains("\"name\":\"a\"");
    }

    @Test
    void saysNothingAfterItIsClosedAndLetsGoOfTheInformers() throws InterruptedException {
        watch();
        told.forget();

        cluster.close();
        pods.changed(pods.put(object("a", "1")));

        assertThat(told.changes).isEmpty();
        assertThat(pods.ended).isTrue();
    }

    private static Map<String, Object> in(String namespace, String name) {
        return Map.of("metadata", Map.of("name", name, "namespace", namespace, "uid", name, "resourceVersion", "1"));
    }

    /** Objects that the server has in addition to the informer's, and the warning about them. */
    private record Elsewhere(
            String name, List<Map<String, Object>> informed, Response answer, String query, String warning) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final Response NONE_ELSEWHERE =
            Response.ok("{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
    private static final Response ONE_ELSEWHERE =
            Response.ok("{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},"
                    + "\"items\":[{\"metadata\":{\"name\":\"b\",\"namespace\":\"two\"}}]}");
    private static final String NO_DONE_PODS = "status.phase!=";

    static final List<Elsewhere> ELSEWHERE = List.of(
            new Elsewhere(
                    "a pod of another namespace",
                    List.of(in("one", "a")),
                    ONE_ELSEWHERE,
                    "metadata.namespace!=one," + NO_DONE_PODS,
                    "objects of one namespace alone"),
            new Elsewhere(
                    "an informer without objects",
                    List.of(),
                    ONE_ELSEWHERE,
                    NO_DONE_PODS,
                    "objects of one namespace alone"),
            new Elsewhere(
                    "no other pod",
                    List.of(in("one", "a")),
                    NONE_ELSEWHERE,
                    "metadata.namespace!=one," + NO_DONE_PODS,
                    ""),
            new Elsewhere(
                    "credentials for one namespace",
                    List.of(in("one", "a")),
                    Response.status(403, "Forbidden", "pods is forbidden"),
                    "metadata.namespace!=one," + NO_DONE_PODS,
                    "Cannot check whether"),
            new Elsewhere("pods of two namespaces", List.of(in("one", "a"), in("two", "b")), ONE_ELSEWHERE, "", ""));

    @ParameterizedTest
    @FieldSource("ELSEWHERE")
    void warnsOfAnInformerThatHasOneNamespaceAlone(Elsewhere elsewhere) throws InterruptedException {
        BlockingQueue<String> queries = new LinkedBlockingQueue<>();
        server.on("GET", "/api/v1/pods", request -> {
            queries.add(request.query().getOrDefault("fieldSelector", ""));
            return elsewhere.answer;
        });
        elsewhere.informed.forEach(pods::put);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(InformerCluster.class);
        logger.addAppender(log);
        try {
            watch();
            if (!elsewhere.query.isEmpty()) {
                assertThat(queries.poll(20, TimeUnit.SECONDS)).startsWith(elsewhere.query);
            }
            // Two more rounds of the thread that checks: it takes in all objects again once the listener has failed.
            for (int round = 0; round < 2; round++) {
                told.forget();
                told.failsAt = "again" + round;
                pods.changed(pods.put(in("one", "again" + round)));
                assertThat(told.next("replaced v1 Pod")).contains("again" + round);
            }
            List<String> warnings = log.list.stream()
                    .filter(event -> event.getLevel() == Level.WARN)
                    .map(ILoggingEvent::getMessage)
                    .toList();
            if (elsewhere.warning.isEmpty()) {
                assertThat(warnings).isEmpty();
            } else {
                assertThat(warnings).singleElement().asString().contains(elsewhere.warning);
            }
            assertThat(queries).as("each informer is checked once").isEmpty();
        } finally {
            logger.detachAppender(log);
        }
    }

    private void watch() {
        cluster.watch(PODS_AND_NODES, KeptJson.NONE, told);
    }

    private static Map<String, Object> object(String name, String version) {
        return Map.of("metadata", metadata(name, version));
    }

    private static Map<String, Object> done(String name, String version) {
        return Map.of("metadata", metadata(name, version), "status", Map.of("phase", "Succeeded"));
    }

    private static Map<String, Object> metadata(String name, String version) {
        return Map.of("name", name, "uid", "uid-" + name, "resourceVersion", version);
    }

    /** An informer whose objects are their fields. */
    private static final class Informer implements ObjectInformer<Map<String, Object>> {
        final Map<String, Map<String, Object>> byName = new ConcurrentHashMap<>();
        final AtomicBoolean hasSynced = new AtomicBoolean(true);
        volatile boolean ended;
        volatile Consumer<Map<String, Object>> listener = object -> {};

        Map<String, Object> put(Map<String, Object> object) {
            byName.put(name(object), object);
            return object;
        }

        Map<String, Object> remove(String name) {
            return byName.remove(name);
        }

        void changed(Map<String, Object> object) {
            listener.accept(object);
        }

        private static String name(Map<String, Object> object) {
            return String.valueOf(((Map<?, ?>) object.get("metadata")).get("name"));
        }

        @Override
        public Runnable onChange(Consumer<Map<String, Object>> changed) {
            listener = changed;
            return () -> ended = true;
        }

        @Override
        public boolean hasSynced() {
            return hasSynced.get();
        }

        @Override
        public Collection<Map<String, Object>> objects() {
            return byName.values();
        }

        @Override
        public Optional<Map<String, Object>> current(Map<String, Object> object) {
            return Optional.ofNullable(byName.get(name(object)));
        }

        @Override
        public Map<String, ?> fields(Map<String, Object> object) {
            return object;
        }
    }

    /** Records the calls of a listener as text. */
    private static final class Told implements ClusterListener {
        final BlockingQueue<String> changes = new LinkedBlockingQueue<>();
        final Map<String, ClusterObject> known = new ConcurrentHashMap<>();
        volatile String failsAt = "";

        String next() throws InterruptedException {
            return next("");
        }

        /** Returns the next one that starts like this, and skips those before it. */
        String next(String beginning) throws InterruptedException {
            List<String> before = new ArrayList<>();
            while (true) {
                String change = changes.poll(20, TimeUnit.SECONDS);
                if (change == null) {
                    throw new AssertionError("expected " + beginning + ", received " + before);
                }
                if (change.startsWith(beginning)) {
                    changes.addAll(before);
                    return change;
                }
                before.add(change);
            }
        }

        void forget() {
            changes.clear();
        }

        private static String text(ClusterObject object) {
            String node = object instanceof Pod pod && pod.isBound() ? " on " + pod.nodeName() : "";
            return object.name() + "@" + object.metadata().resourceVersion() + node;
        }

        private static String key(ObjectKind<?> kind, String name) {
            return kind + " " + name;
        }

        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
            objects.forEach(object -> known.put(key(kind, object.name()), object));
            changes.add("replaced " + kind + " "
                    + objects.stream().map(Told::text).sorted().toList());
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            if (object.name().equals(failsAt)) {
                throw new IllegalStateException("fails at " + failsAt);
            }
            known.put(key(kind, object.name()), object);
            changes.add("applied " + kind + " " + text(object));
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            known.remove(key(kind, object.name()));
            changes.add("deleted " + kind + " " + object.name());
        }

        @Override
        public <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {
            changes.add("unavailable " + kind + " " + reason);
        }

        @Override
        public <T extends ClusterObject> Optional<T> known(ObjectKind<T> kind, String namespace, String name) {
            return Optional.ofNullable(kind.type().cast(known.get(key(kind, name))));
        }
    }
}
