// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
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
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The cluster of a Kubernetes API server, read through the program's own informers so that their kinds are not watched
 * twice. Like {@link KubernetesCluster}, it watches the kinds without an informer, including those that the server
 * starts to serve later, and sends changes to the server.
 *
 * <p>An informer's event identifies the changed object; its current state is read from the informer. Late or duplicate
 * events are therefore harmless. Closing the cluster does not stop the informers. Safe for use by several threads.
 */
public final class InformerCluster implements Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(InformerCluster.class);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(200);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);
    /** The kinds that the scheduler cannot work without. */
    private static final Set<ObjectKind<?>> REQUIRED = Set.of(ObjectKind.POD, ObjectKind.NODE);

    /**
     * Phases of terminated pods. The scheduler does not receive these pods; {@link KubernetesCluster}'s own watch
     * excludes them.
     */
    private static final Set<String> DONE = Set.of("Succeeded", "Failed");

    private static final int FORBIDDEN = 403;
    private static final Duration LONGEST_CHECK = Duration.ofSeconds(5);
    /** The most bytes of a response with one object; only an API server with a raised size limit sends more. */
    private static final int LONGEST_ANSWER = 16 << 20;

    private final KubernetesCluster server;
    private final ApiRequests requests;
    private final Informers informers;
    /** How long {@link #watch} waits for the informers of kinds that are not required: the request timeout. */
    private final Duration longestForOptional;

    private final RetryBackoff backoff;
    private final InstantSource monotonicClock;
    private final RandomGenerator random;
    private final ThreadFactory threads;
    private final TreeDecoder decoder = new TreeDecoder();
    private final StopSignal stop = new StopSignal();
    private final List<InformedKind<?, ?>> informed = new CopyOnWriteArrayList<>();

    /** The informers of a program. */
    @FunctionalInterface
    public interface Informers {
        /** Returns the informer of a kind; empty to have the kind watched. */
        Optional<ObjectInformer<?>> find(ObjectKind<?> kind);
    }

    /**
     * Creates the cluster of the server that a client connects to; sends nothing yet.
     *
     * @param client the connection
     * @param settings rates, time limits and other settings, for watches and changes
     * @param informers finds the informer of each kind when the cluster is watched
     * @param clock the wall clock
     * @param random the random part of waits before retries; safe for use by several threads
     * @param threads makes the threads that watch and send events
     */
    public InformerCluster(
            ApiClient client,
            ClusterSettings settings,
            Informers informers,
            InstantSource clock,
            RandomGenerator random,
            ThreadFactory threads) {
        this.informers = Objects.requireNonNull(informers, "informers");
        this.random = random;
        this.threads = threads;
        longestForOptional = settings.requestTimeout();
        backoff = settings.backoff();
        monotonicClock = settings.monotonicClock();
        server = new KubernetesCluster(client, settings, clock, random, threads);
        requests = new ApiRequests(client, monotonicClock, settings.metrics());
    }

    /** Creates a cluster with the default settings, clocks and threads. */
    public static InformerCluster of(ApiClient client, Informers informers) {
        return new InformerCluster(
                client,
                ClusterSettings.on(ClusterSettings.ownHostName()),
                informers,
                InstantSource.system(),
                new Random(),
                Executors.defaultThreadFactory());
    }

    /**
     * Starts to notify a listener, and returns when the listener has received all objects once. Waits without a time
     * limit for the informers of pods and nodes to sync; the program must start them before or during the call.
     */
    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        Set<ObjectKind<?>> watched = new HashSet<>();
        for (ObjectKind<?> kind : kinds) {
            Optional<ObjectInformer<?>> informer = informers.find(kind);
            if (informer.isEmpty()) {
                watched.add(kind);
            } else {
                informed.add(new InformedKind<>(kind, informer.get(), json, listener));
            }
        }
        informed.forEach(InformedKind::listen);
        server.watch(watched, json, listener);
        awaitInformers();
        Thread thread = threads.newThread(this::catchUpUntilClosed);
        thread.setName("informers");
        thread.setDaemon(true);
        thread.start();
    }

    private void awaitInformers() {
        Instant start = monotonicClock.instant();
        Instant logged = start;
        while (true) {
            informed.forEach(InformedKind::catchUp);
            List<InformedKind<?, ?>> missing =
                    informed.stream().filter(kind -> !kind.isKnown()).toList();
            boolean isRequired = missing.stream().anyMatch(InformedKind::isRequired);
            if (missing.isEmpty() || !isRequired && since(start).compareTo(longestForOptional) > 0) {
                missing.forEach(InformedKind::tellUnavailable);
                return;
            }
            if (since(logged).compareTo(LOG_INTERVAL) > 0) {
                logged = monotonicClock.instant();
                LOG.atWarn()
                        .addKeyValue(
                                "kinds",
                                missing.stream()
                                        .map(InformedKind::toString)
                                        .sorted()
                                        .toList())
                        .log("Waiting for informers that have not synced, or were not started");
            }
            if (stop.isSentWithin(POLL_INTERVAL)) {
                throw new ClusterException("watch: closed or interrupted before all informers have synced", 0, null);
            }
        }
    }

    private Duration since(Instant start) {
        return Duration.between(start, monotonicClock.instant());
    }

    private void catchUpUntilClosed() {
        while (!stop.isSentWithin(CHECK_INTERVAL)) {
            try {
                informed.forEach(InformedKind::catchUp);
                informed.forEach(InformedKind::checkNamespaces);
            } catch (Throwable thrown) {
                ThreadFailures.tell(thrown);
            }
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        return server.read(kind, namespace, name);
    }

    @Override
    public List<Pod> endedPods(String label, String value) {
        return server.endedPods(label, value);
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        server.bind(pod, nodeName);
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        server.patchStatus(pod, condition, nomination);
    }

    @Override
    public void patchStatus(PodGroup group, PodCondition condition) {
        server.patchStatus(group, condition);
    }

    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        server.patchExtendedResourceClaimStatus(pod, status);
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        server.patchNodeAllocatableResourceClaimStatuses(pod, statuses);
    }

    @Override
    public void delete(Pod pod) {
        server.delete(pod);
    }

    @Override
    public VolumeWriter volumes() {
        return server.volumes();
    }

    @Override
    public ResourceClaimWriter resourceClaims() {
        return server.resourceClaims();
    }

    @Override
    public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
        return server.patch(kind, namespace, name, patch);
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        server.delete(kind, namespace, name);
    }

    @Override
    public void report(PodEvent event) {
        server.report(event);
    }

    @Override
    public void report(ObjectEvent event) {
        server.report(event);
    }

    /** Returns the watch status of each kind without an informer; empty before {@link #watch}. */
    public List<WatchStatus> watchStatuses() {
        return server.watchStatuses();
    }

    @Override
    public void close() {
        stop.send();
        informed.forEach(InformedKind::close);
        requests.close();
        server.close();
    }

    private record ObjectId(String namespace, String name) {}

    /** Notifies the listener of the objects of one kind. */
    private final class InformedKind<T extends ClusterObject, M> {
        private final ObjectKind<T> kind;
        private final ObjectInformer<M> informer;
        private final ClusterListener listener;

        @GuardedBy("this")
        private final WatchedObjects<T> objects;

        /**
         * Whether the listener has received all objects. Earlier changes are dropped, since that first delivery
         * contains them.
         */
        @GuardedBy("this")
        private boolean isKnown;

        /** Whether the listener has missed a change and must receive all objects again. */
        @GuardedBy("this")
        private boolean isBehind = true;

        /** The namespaces of the informer's objects at the last full delivery: at most the first two. */
        @GuardedBy("this")
        private final Set<String> namespaces = new HashSet<>();

        /**
         * An object on the server in another namespace, which the informer may have by the next check; empty if there
         * is none.
         */
        private Optional<ObjectId> suspect = Optional.empty();

        private boolean areNamespacesChecked;

        @GuardedBy("this")
        private int failures;

        /** The earliest time to deliver all objects again, by the monotonic clock. */
        @GuardedBy("this")
        private Instant nextTry = Instant.MIN;

        private @Nullable Runnable end;

        InformedKind(ObjectKind<T> kind, ObjectInformer<M> informer, Set<KeptJson> json, ClusterListener listener) {
            this.kind = kind;
            this.informer = informer;
            this.listener = listener;
            objects = new WatchedObjects<>(
                    kind, json, decoder, (namespace, name) -> listener.known(kind, namespace, name));
        }

        void listen() {
            end = informer.onChange(this::changed);
        }

        void close() {
            if (end != null) {
                end.run();
            }
        }

        synchronized boolean isKnown() {
            return isKnown;
        }

        boolean isRequired() {
            return REQUIRED.contains(kind);
        }

        void tellUnavailable() {
            String name = WatchStatus.nameOf(kind);
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .log("An informer has not synced; what needs it is switched off until it has");
            listener.unavailable(kind, name + " are not known, since the program's informer has not synced");
        }

        /** Delivers all objects to the listener, if that is due. */
        synchronized void catchUp() {
            if (!isBehind || stop.isSent() || nextTry.isAfter(monotonicClock.instant()) || !informer.hasSynced()) {
                return;
            }
            isBehind = false;
            isKnown = true;
            guarded(this::takeAll);
        }

        private synchronized void takeAll() {
            List<T> all = new ArrayList<>();
            objects.listBegins();
            namespaces.clear();
            for (M object : informer.objects()) {
                Optional<ObjectNode> tree = tree(object);
                if (tree.isPresent() && namespaces.size() < 2) {
                    namespaces.add(tree.get().path("metadata").path("namespace").asText(""));
                }
                tree.filter(this::isPresent).flatMap(objects::read).ifPresent(all::add);
            }
            objects.listEnds();
            listener.replaced(kind, all);
            failures = 0;
        }

        private synchronized void changed(M object) {
            if (isKnown && !stop.isSent()) {
                guarded(() -> take(object));
            }
        }

        private synchronized void take(M object) {
            Optional<ObjectNode> now = informer.current(object).flatMap(this::present);
            if (now.isPresent()) {
                Optional<T> read = objects.read(now.get());
                read.ifPresent(known -> listener.applied(kind, known));
            } else {
                Optional<ObjectNode> gone = tree(object);
                if (gone.isPresent()) {
                    listener.deleted(kind, objects.readDeleted(gone.get()));
                }
            }
        }

        // If the change fails, all objects are delivered again after a backoff.
        private synchronized void guarded(Runnable change) {
            try {
                change.run();
            } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
                failures++;
                isBehind = true;
                nextTry = monotonicClock.instant().plus(backoff.after(failures, random));
                LOG.atError().setCause(e).addKeyValue("kind", kind).log("Cannot take in a change; taking in all again");
            }
        }

        /**
         * Warns, once, if all objects of the informer are in one namespace while the server has others: the scheduler
         * would ignore what the missing pods request on their nodes. Sends a request to the server; for use by one
         * thread.
         */
        void checkNamespaces() {
            if (areNamespacesChecked || !kind.namespaced()) {
                return;
            }
            Optional<String> known;
            synchronized (this) {
                if (!isKnown) {
                    return;
                }
                known = namespaces.stream().findFirst();
                areNamespacesChecked = namespaces.size() > 1;
            }
            if (areNamespacesChecked) {
                return;
            }
            if (suspect.isPresent()) {
                areNamespacesChecked = true;
                ObjectId other = suspect.get();
                if (listener.known(kind, other.namespace, other.name).isEmpty()) {
                    LOG.atWarn()
                            .addKeyValue("kind", kind)
                            .addKeyValue("namespace", known.orElse(""))
                            .addKeyValue("missing", other.namespace + "/" + other.name)
                            .log("The program's informer has objects of one namespace alone, so the scheduler does"
                                    + " not see the others; expected an informer of all namespaces, or none, so"
                                    + " that the kind is watched");
                }
                return;
            }
            try {
                suspect = elsewhere(known);
                areNamespacesChecked = suspect.isEmpty();
            } catch (ClusterException | ObjectDecodeException failed) {
                // The check failed, which alone does not mean that the informer is wrong. Only 403 suggests access to a
                // single namespace.
                areNamespacesChecked = true;
                LOG.atLevel(
                                failed instanceof ClusterException refused && refused.httpStatus() == FORBIDDEN
                                        ? Level.WARN
                                        : Level.DEBUG)
                        .addKeyValue("kind", kind)
                        .addKeyValue("namespace", known.orElse(""))
                        .addKeyValue("cause", failed.getMessage())
                        .log("Cannot check whether the program's informer has the objects of all namespaces");
            }
        }

        // Returns an object that is in another namespace and is not a terminated pod; empty if there is none.
        private Optional<ObjectId> elsewhere(Optional<String> namespace) {
            List<String> selectors = new ArrayList<>();
            namespace.ifPresent(name -> selectors.add("metadata.namespace!=" + name));
            if (kind.equals(ObjectKind.POD)) {
                DONE.forEach(phase -> selectors.add("status.phase!=" + phase));
            }
            String query = selectors.isEmpty()
                    ? ""
                    : "&fieldSelector=" + URLEncoder.encode(String.join(",", selectors), StandardCharsets.UTF_8);
            String page = requests.page(
                    "list " + kind.plural(),
                    ApiServer.path(kind, "", "") + "?limit=1" + query,
                    LONGEST_CHECK,
                    LONGEST_ANSWER);
            JsonNode metadata = ObjectTrees.of(page).path("items").path(0).path("metadata");
            return metadata.isMissingNode()
                    ? Optional.empty()
                    : Optional.of(new ObjectId(
                            metadata.path("namespace").asText(""),
                            metadata.path("name").asText("")));
        }

        private Optional<ObjectNode> present(M object) {
            return tree(object).filter(this::isPresent);
        }

        private boolean isPresent(ObjectNode tree) {
            return !kind.equals(ObjectKind.POD)
                    || !DONE.contains(tree.path("status").path("phase").asText(""));
        }

        private Optional<ObjectNode> tree(M object) {
            try {
                return Optional.of(ObjectTrees.of(informer.fields(object)));
            } catch (RuntimeException | StackOverflowError e) {
                LOG.atWarn()
                        .addKeyValue("kind", kind)
                        .addKeyValue("cause", ErrorText.of(e))
                        .log("The model of an object has no JSON form; the object is skipped");
                return Optional.empty();
            }
        }

        @Override
        public String toString() {
            return kind.toString();
        }
    }
}
