// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.WatchStatus.Condition;
import org.moorage.objects.EventType;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.KindVersions;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.cluster.ClusterListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a listener informed of all objects of one kind: lists them, watches from the list's resource version, and lists
 * again when the watch cannot be resumed.
 *
 * <p>Watches are short: the server ends each with a bookmark, from which the next one resumes. A watch that stays
 * silent beyond its timeout has therefore lost its connection, with any version of HTTP and any proxy between.
 */
final class Reflector<T extends ClusterObject> implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private static final Duration SHORTEST_WITH_EVENTS = Duration.ofMillis(50);
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;
    /** No response, too many requests, service unavailable: the watch can resume from its resource version. */
    private static final Set<Integer> RESUMABLE = Set.of(0, 429, 503);

    /** The kinds that the scheduler cannot work without. */
    private static final Set<ObjectKind<?>> REQUIRED = Set.of(ObjectKind.POD, ObjectKind.NODE);

    private final ObjectKind<T> kind;
    private final ApiServer server;
    private final ServedVersions versions;
    private final WatchedObjects<T> objects;
    private final ClusterListener listener;
    private final Duration requestTimeout;
    private final RetryBackoff backoff;
    private final WatchSettings watches;
    private final RandomGenerator random;
    private final InstantSource monotonicClock;
    private final StopSignal stop;
    private final WatchProgress progress;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();

    /** The API version of the kind that was listed last, and is watched. */
    private ObjectKind<T> served;

    private String resourceVersion = "";
    /** The resource version at which a watch received an unreadable event; empty once it got past it. */
    private String unreadableAt = "";

    /** Whether the open watch has delivered an event other than a bookmark. */
    private boolean hasEvents;

    private boolean isExpired;
    private boolean hasBeenListed;
    private int failures;
    /** When the server first refused to list the kind; empty if it does not refuse. */
    private Optional<Instant> refusedSince = Optional.empty();

    Reflector(
            ObjectKind<T> kind,
            Set<KeptJson> json,
            ApiServer server,
            ServedVersions versions,
            TreeDecoder decoder,
            ClusterListener listener,
            ClusterSettings settings,
            InstantSource clock,
            RandomGenerator random,
            StopSignal stop,
            ServerOutage outage) {
        this.kind = kind;
        this.server = server;
        this.versions = versions;
        served = kind;
        this.listener = listener;
        requestTimeout = settings.requestTimeout();
        backoff = settings.backoff();
        watches = settings.watches();
        monotonicClock = settings.monotonicClock();
        this.random = random;
        this.stop = stop;
        objects = new WatchedObjects<>(kind, json, decoder, (namespace, name) -> listener.known(kind, namespace, name));
        progress = new WatchProgress(kind, clock, settings.monotonicClock(), outage);
    }

    /**
     * Returns a future that completes when the listener has received all objects once, or the kind cannot be listed.
     */
    CompletableFuture<Void> settled() {
        return settled;
    }

    WatchStatus status() {
        return progress.status();
    }

    @Override
    public void run() {
        // After an unexpected failure, run() is called again; a new list has what the listener may have missed.
        resourceVersion = "";
        while (!stop.isSent() && !Thread.currentThread().isInterrupted()) {
            try {
                if (resourceVersion.isEmpty()) {
                    list();
                }
                watch();
            } catch (ClusterException e) {
                failed(e);
            } catch (JsonProcessingException e) {
                // A broken connection leaves half an event. Other unreadable events may come again at this resource
                // version.
                boolean isUnreadable = !(e instanceof JsonEOFException);
                if (isUnreadable && unreadableAt.equals(resourceVersion)) {
                    resourceVersion = "";
                }
                unreadableAt = isUnreadable ? resourceVersion : unreadableAt;
                String message = what() + ": " + e.getOriginalMessage();
                if (isUnreadable) {
                    cannotBeListed(message);
                }
                failed(isUnreadable, message, backoff);
            } catch (IOException e) {
                refusedSince = Optional.empty();
                lookForNewerVersion();
                failed(false, what() + ": " + ErrorText.of(e), watches.reconnect());
            } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
                // A bug in this program. A new list replaces what the listener has missed.
                resourceVersion = "";
                if (!stop.isSent()) {
                    LOG.atError().setCause(e).addKeyValue("kind", kind).log("Cannot take in a change; listing again");
                }
                String message = what() + ": " + ErrorText.of(e);
                cannotBeListed(message);
                failed(true, message, backoff);
            }
        }
    }

    private void failed(ClusterException e) {
        if (e.httpStatus() == GONE && !isExpired) {
            isExpired = true;
            resourceVersion = "";
            LOG.atInfo().addKeyValue("kind", kind).log("The version of the watch has expired; listing again");
            return;
        }
        if (!RESUMABLE.contains(e.httpStatus())) {
            resourceVersion = "";
        }
        String message = String.valueOf(e.getMessage());
        boolean isAnswered = e.httpStatus() > 0;
        if (isRefused(e)) {
            unavailable(e.httpStatus() == FORBIDDEN ? Condition.NOT_ALLOWED : Condition.NOT_SERVED, message);
        } else if (isAnswered) {
            cannotBeListed(message);
        } else {
            refusedSince = Optional.empty();
            lookForNewerVersion();
        }
        if (isRefused(e) && !settled.isDone()) {
            // Startup waits for this kind, so its retries do not back off.
            failures = 0;
        }
        // A kind that was listed before is served again as soon as the server has started.
        boolean isLookedForSeldom = isRefused(e) && settled.isDone() && !hasBeenListed;
        failed(isAnswered, message, isLookedForSeldom ? watches.lookAgain() : watches.reconnect());
    }

    // After an outage the server may be another one, which serves a newer version of the kind.
    private void lookForNewerVersion() {
        if (!served.equals(KindVersions.readable(kind).get(0))) {
            resourceVersion = "";
        }
    }

    // Objects that were listed once stay known.
    private void cannotBeListed(String message) {
        if (!REQUIRED.contains(kind) && !hasBeenListed) {
            unavailable(Condition.NOT_LISTABLE, message);
        }
    }

    // Optional kinds do not block startup.
    private void unavailable(Condition why, String message) {
        if (refusedSince.isEmpty()) {
            refusedSince = Optional.of(monotonicClock.instant());
        }
        if (isRefusedOnlyNow()) {
            return;
        }
        progress.unavailable(why, message + asker());
        String said = why == Condition.NOT_ALLOWED
                ? " must not be listed"
                : why == Condition.NOT_SERVED ? " is not served by the API server" : " cannot be listed";
        listener.unavailable(kind, WatchStatus.nameOf(kind) + said + asker());
        settled.complete(null);
    }

    private boolean isRefusedOnlyNow() {
        return refusedSince
                .filter(since -> monotonicClock.instant().isBefore(since.plus(watches.refusal())))
                .isPresent();
    }

    // For a custom resource, names the plugins that request it: its CustomResourceDefinition may be missing.
    private String asker() {
        Set<String> plugins = kind.type() == OtherObject.class ? listener.askedBy(kind) : Set.of();
        return plugins.isEmpty() ? "" : ", and is asked for by " + String.join(", ", plugins);
    }

    private boolean isRefused(ClusterException e) {
        return !REQUIRED.contains(kind) && (e.httpStatus() == FORBIDDEN || e.httpStatus() == NOT_FOUND);
    }

    private void failed(boolean isAnswered, String message, RetryBackoff waits) {
        if (stop.isSent()) {
            return;
        }
        failures++;
        Duration wait = waits.after(failures, random);
        if (isRefusedOnlyNow()) {
            progress.refused(message, wait);
        } else {
            progress.failed(isAnswered, message, wait);
        }
        stop.isSentWithin(wait);
    }

    private void succeeded() {
        isExpired = false;
        failures = 0;
        refusedSince = Optional.empty();
        unreadableAt = "";
        progress.watching(objects.unreadable());
    }

    private void list() throws IOException {
        ListedObjects items = new ListedObjects();
        String version = versions.newest(kind, candidate -> {
            served = candidate;
            return new PagedList(server, candidate, query(), requestTimeout, stop).read(items);
        });
        objects.listEnds();
        boolean isTakenIn = false;
        try {
            items.end();
            isTakenIn = true;
        } finally {
            if (!isTakenIn) {
                // A listener that fails receives the list again later; its failure must not block startup.
                settled.complete(null);
            }
        }
        resourceVersion = version;
        hasBeenListed = true;
        refusedSince = Optional.empty();
        progress.listed(served.apiVersion(), objects.unreadable(), items.count, version);
        settled.complete(null);
    }

    /** Passes the objects of a list to the listener. */
    private final class ListedObjects implements PagedList.Items {
        private ClusterListener.@Nullable Listing<T> listing;
        private int count;

        @Override
        public void begin() {
            count = 0;
            listing = listener.listing(kind);
            objects.listBegins();
        }

        @Override
        public void add(ObjectNode tree) {
            objects.read(tree).ifPresent(object -> {
                count++;
                Objects.requireNonNull(listing).add(object);
            });
        }

        void end() {
            Objects.requireNonNull(listing).end();
        }
    }

    private void watch() throws IOException {
        long seconds = watches.length().toSeconds();
        // Random, so that not all watches end at the same time.
        long timeout = seconds - random.nextLong(seconds / 5 + 1);
        Map<String, String> query = query();
        query.put("watch", "true");
        query.put("allowWatchBookmarks", "true");
        query.put("resourceVersion", resourceVersion);
        query.put("timeoutSeconds", String.valueOf(timeout));
        String before = resourceVersion;
        hasEvents = false;
        Instant start = monotonicClock.instant();
        try (ApiServer.StreamedResponse response =
                server.get(what(), path(), query, Duration.ofSeconds(timeout).plus(watches.grace()))) {
            progress.connected();
            ObjectStreams.watch(response.body(), served, this::handle);
        }
        // A server that is behind repeatedly ends a watch that does not take its events fast enough; with a long wait
        // before the next watch, few events would get through.
        Duration shortest = hasEvents && backoff.initial().compareTo(SHORTEST_WITH_EVENTS) > 0
                ? SHORTEST_WITH_EVENTS
                : backoff.initial();
        Duration tooShort = shortest.minus(Duration.between(start, monotonicClock.instant()));
        if (tooShort.isNegative()) {
            succeeded();
        } else if (resourceVersion.equals(before)) {
            throw new ClusterException(what() + ": ended at once, without an event", 0, null);
        } else {
            // Limits the request rate when the server ends watches early.
            stop.isSentWithin(tooShort);
        }
    }

    private void handle(EventType type, ObjectNode tree) {
        switch (type) {
            case ADDED, MODIFIED -> objects.read(tree).ifPresent(object -> listener.applied(kind, object));
            case DELETED -> listener.deleted(kind, objects.readDeleted(tree));
            case BOOKMARK -> {}
            case ERROR -> {
                int code = tree.path("code").asInt();
                String message = tree.path("message").asText("");
                throw new ClusterException(what() + ": " + code + ": " + message, code, null);
            }
        }
        hasEvents |= type != EventType.BOOKMARK;
        resourceVersion = tree.path("metadata").path("resourceVersion").asText("");
        succeeded();
    }

    private Map<String, String> query() {
        Map<String, String> query = new LinkedHashMap<>();
        if (kind.equals(ObjectKind.POD)) {
            query.put("fieldSelector", "status.phase!=Succeeded,status.phase!=Failed");
        }
        return query;
    }

    private String path() {
        return ApiServer.path(served, "", "");
    }

    private String what() {
        return (resourceVersion.isEmpty() ? "list " : "watch ") + kind.plural();
    }
}
