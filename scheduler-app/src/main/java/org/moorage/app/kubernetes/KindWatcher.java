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
 * Tells a listener of all objects of one kind: lists them, then watches from there, and goes on whatever happens. An object
 * that cannot be read is logged and passed over.
 */
final class KindWatcher<T extends ClusterObject> implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(KindWatcher.class);

    private static final int PAGE = 500;
    private static final int GONE = 410;
    // No answer, too many requests, not available: the watch may go on where it was. With any other it may never.
    private static final Set<Integer> COMES_BACK = Set.of(0, 429, 503);
    private static final Duration SHORTEST_WATCH = Duration.ofMinutes(5);
    // The server ends a watch by itself; when it has not after this time more, the connection is dead.
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final Duration SUSPICIOUSLY_SHORT = Duration.ofSeconds(1);

    private final ObjectKind<T> kind;
    private final boolean podJson;
    private final ApiServer server;
    private final ObjectDecoder decoder;
    private final ClusterListener listener;
    private final Duration listLimit;
    private final Backoff backoff;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Stopper stopper;
    private final CompletableFuture<Void> listed = new CompletableFuture<>();

    private String resourceVersion = "";
    private boolean gone;
    private int failures;
    private volatile @Nullable ClusterException lastFailure;

    KindWatcher(
            ObjectKind<T> kind,
            boolean podJson,
            ApiServer server,
            ObjectDecoder decoder,
            ClusterListener listener,
            KubernetesCluster.Settings settings,
            InstantSource clock,
            RandomGenerator random,
            Stopper stopper) {
        this.kind = kind;
        this.podJson = podJson;
        this.server = server;
        this.decoder = decoder;
        this.listener = listener;
        listLimit = settings.requestLimit();
        backoff = settings.backoff();
        this.clock = clock;
        this.random = random;
        this.stopper = stopper;
    }

    ObjectKind<T> kind() {
        return kind;
    }

    /** Completes when the listener has been told of all objects once. */
    CompletableFuture<Void> listed() {
        return listed;
    }

    /** What went wrong last, if anything did. */
    Optional<ClusterException> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    @Override
    public void run() {
        while (!stopper.isStopped() && !Thread.currentThread().isInterrupted()) {
            try {
                if (resourceVersion.isEmpty()) {
                    list();
                }
                watch();
            } catch (ClusterException e) {
                if (e.httpStatus() == GONE && !gone) {
                    gone = true;
                    resourceVersion = "";
                    LOG.atInfo().addKeyValue("kind", kind).log("The watch is too old to go on; listing again");
                } else {
                    failed(e, !COMES_BACK.contains(e.httpStatus()));
                }
            } catch (IOException e) {
                failed(new ClusterException(watching() + ": " + Failures.shown(e), 0, e), false);
            } catch (RuntimeException e) {
                // A fault of ours or the listener's; its picture of the cluster is made good by a new list.
                if (!stopper.isStopped()) {
                    LOG.atError().setCause(e).addKeyValue("kind", kind).log("Cannot take in a change; listing again");
                }
                failed(new ClusterException(watching() + ": " + Failures.shown(e), 0, e), true);
            }
        }
    }

    private void failed(ClusterException failure, boolean listAgain) {
        if (stopper.isStopped()) {
            return;
        }
        lastFailure = failure;
        if (listAgain) {
            resourceVersion = "";
        }
        failures++;
        Duration wait = backoff.after(failures, random);
        // Once for all failures until the next success: a server that is down would fill the log otherwise.
        (failures == 1 ? LOG.atWarn() : LOG.atDebug())
                .addKeyValue("kind", kind)
                .addKeyValue("failures", failures)
                .addKeyValue("nextTry", wait)
                .addKeyValue("cause", failure.getMessage())
                .log("Cannot list or watch; trying again");
        stopper.stopsWithin(wait);
    }

    private void succeeded() {
        gone = false;
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
            version = listPages(objects, PAGE);
        } catch (ClusterException e) {
            if (e.httpStatus() != GONE) {
                throw e;
            }
            // The cluster changes faster than the pages can be had; one large answer cannot grow old.
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

    private String listPages(List<T> objects, int page) throws IOException {
        String continuation = "";
        do {
            Map<String, String> query = query();
            if (page > 0) {
                query.put("limit", String.valueOf(page));
            }
            if (!continuation.isEmpty()) {
                query.put("continue", continuation);
            }
            ObjectStreams.ListPage read;
            try (ApiServer.Answer answer = server.ask("list " + kind.plural(), path(), query, listLimit)) {
                read = ObjectStreams.list(answer.body(), kind, tree -> {
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
        } while (!stopper.isStopped());
        throw new ClusterException("list " + kind.plural() + ": given up, since closed", 0, null);
    }

    private void watch() throws IOException {
        Duration length = SHORTEST_WATCH.plusSeconds(random.nextInt((int) SHORTEST_WATCH.toSeconds()));
        Map<String, String> query = query();
        query.put("watch", "true");
        query.put("allowWatchBookmarks", "true");
        query.put("resourceVersion", resourceVersion);
        query.put("timeoutSeconds", String.valueOf(length.toSeconds()));
        Instant start = clock.instant();
        String before = resourceVersion;
        try (ApiServer.Answer answer = server.ask(watching(), path(), query, length.plus(GRACE))) {
            ObjectStreams.watch(answer.body(), this::take);
        }
        boolean quick = Duration.between(start, clock.instant()).compareTo(SUSPICIOUSLY_SHORT) < 0;
        if (quick && resourceVersion.equals(before)) {
            throw new ClusterException(watching() + ": ended at once, without an event", 0, null);
        }
        succeeded();
    }

    private void take(String type, ObjectNode tree) {
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

    // Whatever is wrong with one object, the others must still be had.
    private @Nullable T decoded(ObjectNode tree) {
        try {
            return decoder.decode(kind, tree, podJson);
        } catch (RuntimeException e) {
            JsonNode metadata = tree.path("metadata");
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .addKeyValue("namespace", metadata.path("namespace").asText(""))
                    .addKeyValue("name", metadata.path("name").asText(""))
                    .addKeyValue("cause", e instanceof ObjectDecodeException ? e.getMessage() : Failures.shown(e))
                    .log("Passing over an object that cannot be read");
            return null;
        }
    }

    // That an object is gone must be told even if the rest of it cannot be read.
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
