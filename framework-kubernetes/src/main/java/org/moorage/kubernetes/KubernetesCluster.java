// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectEvent;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster of a Kubernetes API server.
 *
 * <p>It keeps no objects. Each watched kind has a thread, and events have a few; changes are sent on the callers'
 * threads. Safe for use by several threads.
 */
public final class KubernetesCluster implements Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(KubernetesCluster.class);

    private static final int IDLE_CONNECTIONS = 64;
    // Measured: with thousands of concurrent writes, as after a burst of pods, the server's throughput drops by a
    // third.
    private static final int WRITES_AT_ONCE = 128;
    /** Selects the pods that the watch of pods omits: a field selector has no "or". */
    private static final String ENDED = "status.phase!=Pending,status.phase!=Running,status.phase!=Unknown";

    private static final Duration PING_INTERVAL = Duration.ofSeconds(10);
    /** How long close() waits for the last events to be sent. */
    private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(1);
    private static final Duration CANCEL_INTERVAL = Duration.ofMillis(50);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

    private final ConnectionPool connections;
    private final ApiServer reads;
    private final ApiServer writes;
    private final ApiServer eventWrites;
    private final PodWrites pods;
    private final PodGroupWrites podGroups;
    private final ServedVersions versions = new ServedVersions();
    private final ObjectPatches patches;
    private final VolumeWriter volumes;
    private final ResourceClaimWriter resourceClaims;
    private final EventRecorder events;
    private final List<Thread> eventThreads = new ArrayList<>();
    private final ClusterSettings settings;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final ThreadFactory threads;
    private final TreeDecoder decoder = new TreeDecoder();
    private final StopSignal stop = new StopSignal();
    private final ServerOutage outage;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** One latch per thread, which counts down when the thread ends. */
    @GuardedBy("this")
    private final List<CountDownLatch> running = new ArrayList<>();

    @GuardedBy("this")
    private boolean watching;

    private final AtomicBoolean connecting = new AtomicBoolean();
    private final CountDownLatch connected = new CountDownLatch(1);
    private final List<Reflector<?>> reflectors = new CopyOnWriteArrayList<>();

    /**
     * Creates the cluster of an API server; sends nothing yet.
     *
     * @param client the connection, as from {@link ApiConnection#open}
     * @param settings rates, time limits and other settings
     * @param clock the wall clock
     * @param random the random part of waits before retries; safe for use by several threads
     * @param threads makes the threads that watch and send events
     */
    public KubernetesCluster(
            ApiClient client,
            ClusterSettings settings,
            InstantSource clock,
            RandomGenerator random,
            ThreadFactory threads) {
        this.settings = settings;
        this.clock = clock;
        this.random = random;
        this.threads = threads;
        outage = new ServerOutage(client.address(), settings.monotonicClock());
        // Reads do not wait for writes: a watch that starts late misses events that the server's watch cache has
        // dropped.
        TokenBucket readBucket = new TokenBucket(settings.qps(), settings.burst(), settings.monotonicClock());
        TokenBucket bucket = new TokenBucket(settings.qps(), settings.burst(), settings.monotonicClock());
        TokenBucket eventBucket = new TokenBucket(settings.qps(), settings.burst(), settings.monotonicClock());
        // One pool for all, with room for many concurrent bindings where HTTP/2 is not available.
        connections = new ConnectionPool(IDLE_CONNECTIONS, 5, TimeUnit.MINUTES);
        OkHttpClient http = client.http()
                .newBuilder()
                .connectionPool(connections)
                .socketFactory(new NoDelaySocketFactory())
                // A dead HTTP/2 connection is detected within two intervals; no request waits on it after that.
                .pingInterval(PING_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)
                .build();
        reads = new ApiServer(
                client,
                http,
                readBucket,
                Integer.MAX_VALUE,
                settings.requestTimeout(),
                settings.monotonicClock(),
                stop,
                settings.metrics());
        writes = new ApiServer(
                client,
                http,
                bucket,
                WRITES_AT_ONCE,
                settings.requestTimeout(),
                settings.monotonicClock(),
                stop,
                settings.metrics());
        Duration eventTimeout = settings.requestTimeout().compareTo(EventRecorder.LONGEST_REQUEST) < 0
                ? settings.requestTimeout()
                : EventRecorder.LONGEST_REQUEST;
        eventWrites = new ApiServer(
                client,
                http,
                eventBucket,
                Integer.MAX_VALUE,
                eventTimeout,
                settings.monotonicClock(),
                stop,
                settings.metrics());
        patches = new ObjectPatches(writes, versions, decoder);
        pods = new PodWrites(writes, patches, clock, random, stop, settings.metrics());
        podGroups = new PodGroupWrites(patches, clock, random, stop);
        volumes = new VolumeWrites(patches);
        resourceClaims = new ResourceClaimWrites(patches, settings.metrics());
        events = new EventRecorder(eventWrites, settings, clock, random, stop);
        for (int i = 0; i < EventRecorder.THREADS; i++) {
            eventThreads.add(start("events-" + i, untilClosed(events)));
        }
    }

    // Runs the work again after any failure, until the cluster is closed.
    private Runnable untilClosed(Runnable work) {
        return () -> {
            while (!stop.isSent()) {
                try {
                    work.run();
                } catch (Throwable thrown) {
                    ThreadFailures.tell(thrown);
                    stop.isSentWithin(PAUSE_AFTER_FAILURE);
                }
                // Only close() interrupts a thread on purpose; clear any other interrupt.
                boolean ignored = !stop.isSent() && Thread.interrupted();
            }
        };
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

    /**
     * Opens a connection on another thread for {@link #watch} to use. Otherwise the first request of each kind would
     * open one, and HTTP/2 needs only one.
     */
    public void connect() {
        if (connecting.getAndSet(true)) {
            return;
        }
        start("connect", () -> {
            try {
                reads.get("version", "/version", Map.of(), LONGEST_CONNECT).close();
            } catch (ClusterException e) {
                // The watches' requests fail in the same way, and report it.
                LOG.atDebug().addKeyValue("err", e.getMessage()).log("Cannot connect yet");
            } finally {
                connected.countDown();
            }
        });
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        synchronized (this) {
            if (watching) {
                throw new IllegalStateException("watch: called twice (expected: once)");
            }
            watching = true;
        }
        awaitConnection();
        for (ObjectKind<?> kind : kinds) {
            Reflector<?> reflector = reflector(kind, json, listener);
            reflectors.add(reflector);
            start("watch-" + kind.plural(), untilClosed(reflector));
        }
        awaitLists();
        LOG.atInfo()
                .addKeyValue("server", writes.address())
                .addKeyValue("kinds", kinds.size())
                .log("Watching the cluster");
    }

    private void awaitConnection() {
        if (!connecting.get()) {
            return;
        }
        try {
            boolean ignored = connected.await(LONGEST_CONNECT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // The next wait on this thread throws.
            Thread.currentThread().interrupt();
        }
    }

    private <T extends ClusterObject> Reflector<T> reflector(
            ObjectKind<T> kind, Set<KeptJson> json, ClusterListener listener) {
        return new Reflector<>(kind, json, reads, versions, decoder, listener, settings, clock, random, stop, outage);
    }

    /** Returns the status of each watched kind; empty before {@link #watch}. */
    public List<WatchStatus> watchStatuses() {
        return reflectors.stream()
                .<WatchStatus>map(Reflector::status)
                .sorted(Comparator.comparing(status -> WatchStatus.nameOf(status.kind())))
                .toList();
    }

    // Waits without a time limit: a scheduler cannot work without a server. The reflectors log what they wait for.
    private void awaitLists() {
        CompletableFuture<Void> all = CompletableFuture.allOf(
                reflectors.stream().map(Reflector::settled).toArray(CompletableFuture<?>[]::new));
        try {
            CompletableFuture.anyOf(all, closed).get();
            if (!all.isDone()) {
                throw new ClusterException("watch: closed before all objects were listed", 0, null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new ClusterException("watch: interrupted before all objects were listed", 0, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        return patches.read(kind, namespace, name);
    }

    @Override
    public List<Pod> endedPods(String label, String value) {
        Map<String, String> query = Map.of("labelSelector", label + "=" + value, "fieldSelector", ENDED);
        List<Pod> ended = new ArrayList<>();
        WatchedObjects<Pod> objects =
                new WatchedObjects<>(ObjectKind.POD, KeptJson.NONE, decoder, (namespace, name) -> Optional.empty());
        PagedList.Items items = new PagedList.Items() {
            @Override
            public void begin() {
                objects.listBegins();
                ended.clear();
            }

            @Override
            public void add(ObjectNode pod) {
                objects.read(pod).ifPresent(ended::add);
            }
        };
        try {
            String ignored = new PagedList(reads, ObjectKind.POD, query, settings.requestTimeout(), stop).read(items);
        } catch (IOException e) {
            throw new ClusterException("list ended pods: " + ErrorText.of(e), 0, e);
        }
        return ended;
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        pods.bind(pod, nodeName);
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        pods.patchStatus(pod, condition, nomination);
    }

    @Override
    public void patchStatus(PodGroup group, PodCondition condition) {
        podGroups.patchStatus(group, condition);
    }

    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        pods.patchExtendedResourceClaimStatus(pod, status);
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        pods.patchNodeAllocatableResourceClaimStatuses(pod, statuses);
    }

    @Override
    public void delete(Pod pod) {
        pods.delete(pod);
    }

    @Override
    public VolumeWriter volumes() {
        return volumes;
    }

    @Override
    public ResourceClaimWriter resourceClaims() {
        return resourceClaims;
    }

    @Override
    public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
        ObjectNode json;
        try {
            json = ObjectStreams.object(patch.json());
        } catch (IOException e) {
            throw new IllegalArgumentException("json: " + patch.json() + " (expected: a JSON object)", e);
        }
        return patches.merge(kind, namespace, name, patch.subresource(), json);
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        patches.delete(kind, namespace, name);
    }

    @Override
    public void report(PodEvent event) {
        events.report(ReportedEvent.of(event));
    }

    @Override
    public void report(ObjectEvent event) {
        events.report(ReportedEvent.of(event));
    }

    @Override
    public void close() {
        events.flush(FLUSH_TIMEOUT);
        stop.send();
        closed.complete(null);
        eventThreads.forEach(Thread::interrupt);
        List<CountDownLatch> toEnd;
        synchronized (this) {
            toEnd = List.copyOf(running);
        }
        // Cancels requests repeatedly, since a thread may send one more before it sees the signal.
        long rounds = CLOSE_TIMEOUT.dividedBy(CANCEL_INTERVAL);
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
                if (!ended.await(CANCEL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
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
