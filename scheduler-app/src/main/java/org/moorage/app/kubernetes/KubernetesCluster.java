// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.Patch;
import org.moorage.api.plugin.PodEvent;
import org.moorage.objects.ObjectDecoder;
import org.moorage.objects.ObjectStreams;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster behind a Kubernetes API server.
 *
 * <p>It keeps no objects. Each watched kind has a thread, and so have events; changes are sent by the threads that ask for
 * them. Safe for use by several threads.
 */
public final class KubernetesCluster implements Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(KubernetesCluster.class);

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String STRATEGIC_MERGE = "application/strategic-merge-patch+json";
    private static final String JSON_MERGE = "application/merge-patch+json";
    private static final int IDLE_CONNECTIONS = 64;
    private static final int MOST_STATUS_TRIES = 4;
    private static final Backoff STATUS_BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));
    private static final Set<Integer> WORTH_ANOTHER_TRY = Set.of(409, 500, 503);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);
    private static final Duration CANCEL_EVERY = Duration.ofMillis(50);

    private final ConnectionPool connections;
    private final ApiServer reads;
    private final ApiServer writes;
    private final ApiServer eventWrites;
    private final EventRecorder events;
    private final Thread eventThread;
    private final Settings settings;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final ThreadFactory threads;
    private final ObjectDecoder decoder = new ObjectDecoder();
    private final Stopper stopper = new Stopper();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    @GuardedBy("this")
    private final List<CountDownLatch> running = new ArrayList<>();

    @GuardedBy("this")
    private boolean watching;

    /**
     * How a cluster is spoken to.
     *
     * @param qps requests a second, once the burst is used up; 0 or less for no limit. Events have a limit of their own
     *     of the same size
     * @param burst requests that may be sent at once
     * @param listLimit how long {@link KubernetesCluster#watch} may take
     * @param requestLimit how long a change may take, and how long a list may be silent
     * @param backoff the waits after failures of lists, watches and events
     * @param hostName the machine's name, which events carry
     */
    public record Settings(
            double qps, int burst, Duration listLimit, Duration requestLimit, Backoff backoff, String hostName) {
        /** Checks the values. */
        public Settings {
            Objects.requireNonNull(backoff, "backoff");
            Objects.requireNonNull(hostName, "hostName");
            if (listLimit.isNegative() || listLimit.isZero() || requestLimit.isNegative() || requestLimit.isZero()) {
                throw new IllegalArgumentException(
                        "listLimit: " + listLimit + ", requestLimit: " + requestLimit + " (expected: > 0)");
            }
        }

        /** What kube-scheduler does, on a machine of that name. */
        public static Settings on(String hostName) {
            return new Settings(
                    50,
                    100,
                    Duration.ofMinutes(2),
                    Duration.ofSeconds(30),
                    new Backoff(Duration.ofMillis(800), Duration.ofSeconds(30)),
                    hostName);
        }

        /** The same with another limit on requests. */
        public Settings withRate(double requestsPerSecond, int atOnce) {
            return new Settings(requestsPerSecond, atOnce, listLimit, requestLimit, backoff, hostName);
        }

        /** The same with another limit on the first lists. */
        public Settings withListLimit(Duration limit) {
            return new Settings(qps, burst, limit, requestLimit, backoff, hostName);
        }
    }

    /**
     * The cluster of an API server; nothing is sent yet.
     *
     * @param client the connection, as from {@link ApiConnection#open}
     * @param settings how to speak to it
     * @param clock tells the time
     * @param random spreads out retries; safe for use by several threads
     * @param threads makes the threads that watch and report
     */
    public KubernetesCluster(
            ApiClient client, Settings settings, InstantSource clock, RandomGenerator random, ThreadFactory threads) {
        this.settings = settings;
        this.clock = clock;
        this.random = random;
        this.threads = threads;
        TokenBucket bucket = new TokenBucket(settings.qps(), settings.burst(), clock);
        TokenBucket eventBucket = new TokenBucket(settings.qps(), settings.burst(), clock);
        // One pool for all, with room for the connections of many bindings at once where there is no HTTP/2.
        connections = new ConnectionPool(IDLE_CONNECTIONS, 5, TimeUnit.MINUTES);
        OkHttpClient http = client.getHttpClient()
                .newBuilder()
                .connectionPool(connections)
                .socketFactory(new UndelayedSockets())
                .build();
        reads = new ApiServer(client, http, bucket, settings.requestLimit(), clock, stopper);
        writes = new ApiServer(client, http, bucket, settings.requestLimit(), clock, stopper);
        eventWrites = new ApiServer(client, http, eventBucket, settings.requestLimit(), clock, stopper);
        events = new EventRecorder(eventWrites, settings, clock, random, stopper);
        eventThread = start("events", events);
    }

    private Thread start(String name, Runnable work) {
        CountDownLatch ended = new CountDownLatch(1);
        synchronized (this) {
            running.add(ended);
        }
        Thread thread = threads.newThread(() -> {
            try {
                work.run();
            } finally {
                ended.countDown();
            }
        });
        thread.setName(name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, boolean podJson, ClusterListener listener) {
        synchronized (this) {
            if (watching) {
                throw new IllegalStateException("watch: called twice (expected: once)");
            }
            watching = true;
        }
        List<KindWatcher<?>> watchers = new ArrayList<>();
        for (ObjectKind<?> kind : kinds) {
            KindWatcher<?> watcher = watcher(kind, podJson, listener);
            watchers.add(watcher);
            start("watch-" + kind.plural(), watcher);
        }
        awaitLists(watchers);
        LOG.atInfo()
                .addKeyValue("server", writes.address())
                .addKeyValue("kinds", kinds.size())
                .log("Watching the cluster");
    }

    private void awaitLists(List<KindWatcher<?>> watchers) {
        CompletableFuture<Void> all = CompletableFuture.allOf(
                watchers.stream().map(KindWatcher::listed).toArray(CompletableFuture<?>[]::new));
        try {
            CompletableFuture.anyOf(all, closed).get(settings.listLimit().toNanos(), TimeUnit.NANOSECONDS);
            if (all.isDone()) {
                return;
            }
            throw new ClusterException("watch: closed before all objects were listed", 0, null);
        } catch (TimeoutException e) {
            ClusterException failure = notListed(watchers);
            close();
            throw failure;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new ClusterException("watch: interrupted before all objects were listed", 0, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private ClusterException notListed(List<KindWatcher<?>> watchers) {
        List<KindWatcher<?>> late =
                watchers.stream().filter(watcher -> !watcher.listed().isDone()).toList();
        String plurals = late.stream().map(watcher -> watcher.kind().plural()).collect(Collectors.joining(", "));
        ClusterException cause = late.stream()
                .flatMap(watcher -> watcher.lastFailure().stream())
                .findFirst()
                .orElseGet(() -> new ClusterException("no answer yet", 0, null));
        return new ClusterException(
                "cannot list " + plurals + " of " + writes.address() + " within "
                        + settings.listLimit().toSeconds() + "s: " + cause.getMessage(),
                cause.httpStatus(),
                cause);
    }

    private <T extends ClusterObject> KindWatcher<T> watcher(
            ObjectKind<T> kind, boolean podJson, ClusterListener listener) {
        return new KindWatcher<>(kind, podJson, reads, decoder, listener, settings, clock, random, stopper);
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        ObjectNode binding = JSON.objectNode().put("apiVersion", "v1").put("kind", "Binding");
        ObjectNode metadata =
                binding.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
        if (!pod.uid().isEmpty()) {
            // Not a pod of the same name that has come in its place.
            metadata.put("uid", pod.uid());
        }
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", nodeName);
        writes.change("bind " + pod.key() + " to " + nodeName, "POST", path(pod) + "/binding", ApiServer.JSON, binding);
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        ObjectNode status = JSON.objectNode();
        condition
                .filter(changed -> !pod.status().conditions().contains(changed))
                .ifPresent(changed -> status.putArray("conditions").add(patchOf(changed, pod)));
        if (nomination.overrides() && !nomination.nodeName().equals(pod.status().nominatedNodeName())) {
            putOrRemove(status, "nominatedNodeName", nomination.nodeName());
        }
        if (status.isEmpty()) {
            return;
        }
        ObjectNode patch = JSON.objectNode();
        if (!pod.uid().isEmpty()) {
            patch.putObject("metadata").put("uid", pod.uid());
        }
        patch.set("status", status);
        String what = "patch status of " + pod.key();
        for (int tries = 1; ; tries++) {
            try {
                writes.change(what, "PATCH", path(pod) + "/status", STRATEGIC_MERGE, patch);
                return;
            } catch (ClusterException e) {
                if (tries == MOST_STATUS_TRIES
                        || !isWorthAnotherTry(e)
                        || stopper.stopsWithin(STATUS_BACKOFF.after(tries, random))) {
                    throw e;
                }
            }
        }
    }

    private static boolean isWorthAnotherTry(ClusterException failure) {
        return WORTH_ANOTHER_TRY.contains(failure.httpStatus()) || failure.getCause() instanceof ConnectException;
    }

    private ObjectNode patchOf(PodCondition condition, Pod pod) {
        ObjectNode patch = JSON.objectNode().put("type", condition.type()).put("status", condition.status());
        putOrRemove(patch, "reason", condition.reason());
        putOrRemove(patch, "message", condition.message());
        if (condition.observedGeneration() != 0) {
            patch.put("observedGeneration", condition.observedGeneration());
        }
        patch.putNull("lastProbeTime");
        boolean flips = pod.status()
                .condition(condition.type())
                .map(known -> !known.status().equals(condition.status()))
                .orElse(true);
        if (flips) {
            patch.put(
                    "lastTransitionTime",
                    clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        }
        return patch;
    }

    // In a merge patch null takes a field away.
    private static void putOrRemove(ObjectNode patch, String field, String value) {
        if (value.isEmpty()) {
            patch.putNull(field);
        } else {
            patch.put(field, value);
        }
    }

    @Override
    public void delete(Pod pod) {
        ObjectNode options = JSON.objectNode().put("apiVersion", "v1").put("kind", "DeleteOptions");
        if (!pod.uid().isEmpty()) {
            options.putObject("preconditions").put("uid", pod.uid());
        }
        try {
            writes.change("delete " + pod.key(), "DELETE", path(pod), ApiServer.JSON, options);
        } catch (ClusterException e) {
            // A conflict here means that a pod of the same name has come in its place.
            if (!e.isNotFound() && !e.isConflict()) {
                throw e;
            }
        }
    }

    @Override
    public ObjectMeta patch(ObjectKind<?> kind, String namespace, String name, Patch patch) {
        String what = "patch " + kind.kind() + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        String path = ApiServer.path(kind, namespace, name) + (patch.part().isEmpty() ? "" : "/" + patch.part());
        String contentType = switch (patch.type()) {
            case MERGE -> JSON_MERGE;
            case STRATEGIC -> STRATEGIC_MERGE;
        };
        return metadata(writes.changeObject(what, "PATCH", path, contentType, tree(what, patch.json())));
    }

    @Override
    public ObjectMeta create(ObjectKind<?> kind, String namespace, String json) {
        String what = "create " + kind.kind();
        String path = ApiServer.path(kind, namespace, "");
        return metadata(writes.changeObject(what, "POST", path, ApiServer.JSON, tree(what, json)));
    }

    // Every object has metadata, so one without a type of its own will do to read it.
    private ObjectMeta metadata(ObjectNode object) {
        return decoder.decode(ObjectKind.other("", "", "", true), object, false).metadata();
    }

    private static ObjectNode tree(String what, String json) {
        try {
            return ObjectStreams.object(json);
        } catch (IOException e) {
            throw new IllegalArgumentException(what + ": " + json + " (expected: a JSON object)", e);
        }
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        String what = "delete " + kind.kind() + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        try {
            writes.change(what, "DELETE", ApiServer.path(kind, namespace, name), ApiServer.JSON, JSON.objectNode());
        } catch (ClusterException e) {
            if (!e.isNotFound()) {
                throw e;
            }
        }
    }

    @Override
    public void report(PodEvent event) {
        events.report(event);
    }

    private static String path(Pod pod) {
        return ApiServer.path(ObjectKind.POD, pod.namespace(), pod.name());
    }

    @Override
    public void close() {
        stopper.stop();
        closed.complete(null);
        eventThread.interrupt();
        List<CountDownLatch> toEnd;
        synchronized (this) {
            toEnd = List.copyOf(running);
        }
        // A thread may just have been about to send when the rest was broken off, hence several times.
        long rounds = LONGEST_CLOSE.dividedBy(CANCEL_EVERY);
        for (long round = 0; round < rounds; round++) {
            reads.cancelAll();
            eventWrites.cancelAll();
            if (allEnd(toEnd)) {
                connections.evictAll();
                return;
            }
        }
        LOG.atWarn().addKeyValue("server", writes.address()).log("Threads of the cluster do not end");
    }

    private static boolean allEnd(List<CountDownLatch> threads) {
        for (CountDownLatch ended : threads) {
            try {
                if (!ended.await(CANCEL_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return true;
    }
}
