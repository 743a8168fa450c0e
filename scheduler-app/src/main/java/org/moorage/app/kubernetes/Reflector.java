// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.ClusterException;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectDecoder;
import org.moorage.objects.ObjectStreams;
import org.moorage.runtime.cluster.ClusterListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener of all objects of one kind: lists them, watches from the version of the list on, and lists again when the watch
 * cannot go on. An object that cannot be read is logged and left out.
 */
final class Reflector<T extends ClusterObject> implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private static final int PAGE_SIZE = 500;
    private static final int GONE = 410;
    /** No answer, too many requests, not available: the watch can go on from its version. */
    private static final Set<Integer> RESUMABLE = Set.of(0, 429, 503);

    private static final Duration MIN_WATCH_TIMEOUT = Duration.ofMinutes(5);
    /** When the server has not ended a watch this long after its timeout, the connection is dead. */
    private static final Duration WATCH_TIMEOUT_GRACE = Duration.ofSeconds(30);
    /** A watch that ends in less than this without an event counts as a failure. */
    private static final Duration VERY_SHORT_WATCH = Duration.ofSeconds(1);

    private final ObjectKind<T> kind;
    private final boolean podJson;
    private final ApiServer server;
    private final ObjectDecoder decoder;
    private final ClusterListener listener;
    private final Duration requestTimeout;
    private final RetryBackoff backoff;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final StopSignal stop;
    private final CompletableFuture<Void> listed = new CompletableFuture<>();

    private String resourceVersion = "";
    private boolean isExpired;
    private int failures;
    private volatile @Nullable Failure lastFailure;

    /**
     * What went wrong. Only its text is kept: the exception of an answer that cannot be read holds on to the answer.
     *
     * @param message what was asked and what came back
     * @param httpStatus the status code of the answer; 0 if there was none
     */
    record Failure(String message, int httpStatus) {}

    Reflector(
            ObjectKind<T> kind,
            boolean podJson,
            ApiServer server,
            ObjectDecoder decoder,
            ClusterListener listener,
            ClusterSettings settings,
            InstantSource clock,
            RandomGenerator random,
            StopSignal stop) {
        this.kind = kind;
        this.podJson = podJson;
        this.server = server;
        this.decoder = decoder;
        this.listener = listener;
        requestTimeout = settings.requestTimeout();
        backoff = settings.backoff();
        this.clock = clock;
        this.random = random;
        this.stop = stop;
    }

    ObjectKind<T> kind() {
        return kind;
    }

    /** Completes when the listener has been told of all objects once. */
    CompletableFuture<Void> listed() {
        return listed;
    }

    /** Why the last list or watch failed; empty if it did not. */
    Optional<Failure> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    @Override
    public void run() {
        while (!stop.isSent() && !Thread.currentThread().isInterrupted()) {
            try {
                if (resourceVersion.isEmpty()) {
                    list();
                }
                watch();
            } catch (ClusterException e) {
                if (e.httpStatus() == GONE && !isExpired) {
                    isExpired = true;
                    resourceVersion = "";
                    LOG.atInfo().addKeyValue("kind", kind).log("The version of the watch has expired; listing again");
                } else {
                    if (!RESUMABLE.contains(e.httpStatus())) {
                        resourceVersion = "";
                    }
                    failed(new Failure(String.valueOf(e.getMessage()), e.httpStatus()));
                }
            } catch (IOException e) {
                failed(new Failure(watching() + ": " + ErrorText.of(e), 0));
            } catch (RuntimeException e) {
                // A fault in this program. A new list replaces what the listener has missed.
                resourceVersion = "";
                if (!stop.isSent()) {
                    LOG.atError().setCause(e).addKeyValue("kind", kind).log("Cannot take in a change; listing again");
                }
                failed(new Failure(watching() + ": " + ErrorText.of(e), 0));
            }
        }
    }

    private void failed(Failure failure) {
        if (stop.isSent()) {
            return;
        }
        lastFailure = failure;
        failures++;
        Duration wait = backoff.after(failures, random);
        // Once for all failures until the next success: a server that is down would fill the log otherwise.
        (failures == 1 ? LOG.atWarn() : LOG.atDebug())
                .addKeyValue("kind", kind)
                .addKeyValue("failures", failures)
                .addKeyValue("nextTry", wait)
                .addKeyValue("cause", failure.message())
                .log("Cannot list or watch; trying again");
        stop.isSentWithin(wait);
    }

    private void succeeded() {
        isExpired = false;
        lastFailure = null;
        if (failures > 0) {
            LOG.atInfo()
                    .addKeyValue("kind", kind)
                    .addKeyValue("failures", failures)
                    .log("Watching again");
            failures = 0;
        }
    }

    private void list() throws IOException {
        List<T> objects = new ArrayList<>();
        String version;
        try {
            version = listPages(objects, PAGE_SIZE);
        } catch (ClusterException e) {
            if (e.httpStatus() != GONE) {
                throw e;
            }
            // The cluster changes faster than the pages can be read. A single page cannot expire.
            objects.clear();
            version = listPages(objects, 0);
        }
        listener.replaced(kind, objects);
        resourceVersion = version;
        listed.complete(null);
        LOG.atDebug()
                .addKeyValue("kind", kind)
                .addKeyValue("objects", objects.size())
                .addKeyValue("resourceVersion", version)
                .log("Listed");
    }

    private String listPages(List<T> objects, int pageSize) throws IOException {
        String continuation = "";
        do {
            Map<String, String> query = query();
            if (pageSize > 0) {
                query.put("limit", String.valueOf(pageSize));
            }
            if (!continuation.isEmpty()) {
                query.put("continue", continuation);
            }
            ObjectStreams.ListPage read;
            try (ApiServer.StreamedResponse response =
                    server.get("list " + kind.plural(), path(), query, requestTimeout)) {
                read = ObjectStreams.list(response.body(), kind, tree -> {
                    T object = decoded(tree);
                    if (object != null) {
                        objects.add(object);
                    }
                });
            }
            continuation = read.continuation();
            if (continuation.isEmpty()) {
                return read.resourceVersion();
            }
        } while (!stop.isSent());
        throw new ClusterException("list " + kind.plural() + ": given up, since closed", 0, null);
    }

    private void watch() throws IOException {
        Duration timeout = MIN_WATCH_TIMEOUT.plusSeconds(random.nextInt((int) MIN_WATCH_TIMEOUT.toSeconds()));
        Map<String, String> query = query();
        query.put("watch", "true");
        query.put("allowWatchBookmarks", "true");
        query.put("resourceVersion", resourceVersion);
        query.put("timeoutSeconds", String.valueOf(timeout.toSeconds()));
        Instant start = clock.instant();
        String before = resourceVersion;
        try (ApiServer.StreamedResponse response =
                server.get(watching(), path(), query, timeout.plus(WATCH_TIMEOUT_GRACE))) {
            ObjectStreams.watch(response.body(), this::handle);
        }
        boolean isVeryShort = Duration.between(start, clock.instant()).compareTo(VERY_SHORT_WATCH) < 0;
        if (isVeryShort && resourceVersion.equals(before)) {
            throw new ClusterException(watching() + ": ended at once, without an event", 0, null);
        }
        succeeded();
    }

    private void handle(String type, ObjectNode tree) {
        switch (type) {
            case "ADDED", "MODIFIED" -> {
                T object = decoded(tree);
                if (object != null) {
                    listener.applied(kind, object);
                }
            }
            case "DELETED" -> {
                T object = decoded(tree);
                listener.deleted(kind, object != null ? object : decoder.decode(kind, identityOf(tree), false));
            }
            case "BOOKMARK" -> {}
            case "ERROR" -> {
                int code = tree.path("code").asInt();
                String message = tree.path("message").asText("");
                throw new ClusterException(watching() + ": " + code + ": " + message, code, null);
            }
            default ->
                LOG.atDebug()
                        .addKeyValue("kind", kind)
                        .addKeyValue("type", type)
                        .log("Unknown watch event");
        }
        String version = tree.path("metadata").path("resourceVersion").asText("");
        if (!version.isEmpty()) {
            resourceVersion = version;
        }
        succeeded();
    }

    // Null if the object cannot be read.
    private @Nullable T decoded(ObjectNode tree) {
        try {
            return decoder.decode(kind, tree, podJson);
        } catch (RuntimeException e) {
            JsonNode metadata = tree.path("metadata");
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .addKeyValue("namespace", metadata.path("namespace").asText(""))
                    .addKeyValue("name", metadata.path("name").asText(""))
                    .addKeyValue("cause", e instanceof ObjectDecodeException ? e.getMessage() : ErrorText.of(e))
                    .log("Passing over an object that cannot be read");
            return null;
        }
    }

    // Enough to tell that an object was deleted, if the rest of it cannot be read.
    private static ObjectNode identityOf(ObjectNode tree) {
        ObjectNode identity = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = identity.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion")) {
            metadata.put(field, tree.path("metadata").path(field).asText(""));
        }
        identity.putObject("spec")
                .put("nodeName", tree.path("spec").path("nodeName").asText(""));
        return identity;
    }

    private Map<String, String> query() {
        Map<String, String> query = new LinkedHashMap<>();
        if (kind.equals(ObjectKind.POD)) {
            query.put("fieldSelector", "status.phase!=Succeeded,status.phase!=Failed");
        }
        return query;
    }

    private String path() {
        return ApiServer.path(kind, "", "");
    }

    private String watching() {
        return "watch " + kind.plural();
    }
}
