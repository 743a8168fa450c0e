// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeList;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches for a client-java informer, and ignores fields that the models do not know. With client-java's own
 * codec a single field of a newer API server prevents an informer from ever syncing.
 *
 * <p>An object with a value that its model cannot hold does not affect other objects. A bound pod is read without that
 * value, since its requests count on the node. Any other such object is omitted from a list; when it changes, its last
 * known state is kept. Each such object is logged.
 *
 * <pre>{@code
 * factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
 * factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
 * }</pre>
 *
 * @param <M> the model
 * @param <L> the model of its lists
 */
public final class LenientListerWatcher<M extends KubernetesObject, L extends KubernetesListObject>
        implements ListerWatcher<M, L> {
    private static final Logger LOG = LoggerFactory.getLogger(LenientListerWatcher.class);

    /** The message by which an informer recognizes an ended watch, which it restarts. */
    private static final String ENDED = "IO Exception during hasNext method.";

    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(10);

    private final String address;
    private final OkHttpClient http;
    private final ObjectKind<?> kind;
    private final Class<M> model;
    private final Class<L> list;

    /**
     * Creates a lister and watcher of the objects of a kind in all namespaces.
     *
     * @param client the connection
     * @param kind the kind, in the API version of the model
     */
    public LenientListerWatcher(ApiClient client, ObjectKind<?> kind, Class<M> model, Class<L> list) {
        Objects.requireNonNull(kind, "kind");
        org.moorage.kubernetes.ApiClient requests = ClientJavaRequests.through(client);
        address = requests.address() + (kind.group().isEmpty() ? "/api/" : "/apis/") + kind.apiVersion() + "/"
                + kind.plural();
        // Otherwise a silently lost connection blocks an informer forever.
        http = requests.http()
                .newBuilder()
                .readTimeout(LONGEST_SILENCE)
                .pingInterval(PING_INTERVAL)
                .build();
        this.kind = kind;
        this.model = Objects.requireNonNull(model, "model");
        this.list = Objects.requireNonNull(list, "list");
    }

    /** Returns a lister and watcher of all pods. */
    public static LenientListerWatcher<V1Pod, V1PodList> pods(ApiClient client) {
        return new LenientListerWatcher<>(client, ObjectKind.POD, V1Pod.class, V1PodList.class);
    }

    /** Returns a lister and watcher of all nodes. */
    public static LenientListerWatcher<V1Node, V1NodeList> nodes(ApiClient client) {
        return new LenientListerWatcher<>(client, ObjectKind.NODE, V1Node.class, V1NodeList.class);
    }

    @Override
    public L list(CallGeneratorParams params) throws ApiException {
        List<M> items = new ArrayList<>();
        try (Response response = answer(params)) {
            JsonNode head = ModelJson.list(
                    response.body().byteStream(), item -> readable(item).ifPresent(items::add));
            L read = ModelJson.read(head, list);
            addAll(read, items);
            return read;
        } catch (IOException e) {
            throw new ApiException(e);
        }
    }

    @SuppressWarnings("unchecked") // the interface does not say what the items of its models are
    private void addAll(L read, List<M> items) {
        ((List<M>) read.getItems()).addAll(items);
    }

    // Returns the model of an object; empty to omit the object.
    private Optional<M> readable(JsonNode object) {
        try {
            return Optional.of(ModelJson.read(object, model));
        } catch (IOException | RuntimeException | StackOverflowError e) {
            boolean isOnNode = !object.path("spec").path("nodeName").asText("").isEmpty();
            Optional<M> part = kind.equals(ObjectKind.POD) && isOnNode ? part(object) : Optional.empty();
            JsonNode metadata = object.path("metadata");
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .addKeyValue("namespace", metadata.path("namespace").asText(""))
                    .addKeyValue("name", metadata.path("name").asText(""))
                    .addKeyValue(
                            "cause",
                            String.valueOf(e.getMessage()).lines().findFirst().orElse(""))
                    .log(
                            part.isPresent()
                                    ? "The model cannot hold a value of an object; the object is read without it"
                                    : "The model cannot hold a value of an object; the object is skipped");
            return part;
        }
    }

    private Optional<M> part(JsonNode object) {
        try {
            return Optional.of(ModelJson.readPart(object, model));
        } catch (IOException | RuntimeException | StackOverflowError e) {
            return Optional.empty();
        }
    }

    // Returns only the identity, which is sufficient for a deleted object.
    private M identity(JsonNode object) throws IOException {
        ObjectNode identity = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = identity.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion")) {
            if (object.path("metadata").path(field).isTextual()) {
                metadata.set(field, object.path("metadata").path(field));
            }
        }
        return ModelJson.read(identity, model);
    }

    @Override
    public Watchable<M> watch(CallGeneratorParams params) throws ApiException {
        Response response = answer(params);
        try {
            return new Events(response, ModelJson.objects(response.body().byteStream()));
        } catch (IOException e) {
            response.close();
            throw new ApiException(e);
        }
    }

    private Response answer(CallGeneratorParams params) throws ApiException {
        HttpUrl base = HttpUrl.parse(address);
        if (base == null) {
            throw new ApiException(address + " (expected: an address such as https://127.0.0.1:6443)");
        }
        HttpUrl.Builder url = base.newBuilder();
        if (params.resourceVersion != null) {
            url.addQueryParameter("resourceVersion", params.resourceVersion);
        }
        OkHttpClient sender = http;
        if (params.timeoutSeconds != null) {
            // The server ends the watch by then.
            sender = http.newBuilder()
                    .readTimeout(LONGEST_SILENCE.plusSeconds(params.timeoutSeconds))
                    .build();
            url.addQueryParameter("timeoutSeconds", String.valueOf(params.timeoutSeconds));
        }
        if (params.watch) {
            url.addQueryParameter("watch", "true").addQueryParameter("allowWatchBookmarks", "true");
        }
        Request request = new Request.Builder()
                .url(url.build())
                .header("Accept", "application/json")
                .build();
        try {
            Response response = sender.newCall(request).execute();
            if (response.isSuccessful()) {
                return response;
            }
            try (response) {
                throw new ApiException(
                        response.message(),
                        response.code(),
                        response.headers().toMultimap(),
                        response.body().string());
            }
        } catch (IOException e) {
            throw new ApiException(e);
        }
    }

    private final class Events implements Watchable<M> {
        private final Response response;
        private final MappingIterator<JsonNode> events;
        // The next event, once hasNext() has read it.
        private Watch.@Nullable Response<M> next;

        Events(Response response, MappingIterator<JsonNode> events) {
            this.response = response;
            this.events = events;
        }

        @Override
        public boolean hasNext() {
            try {
                while (next == null && events.hasNextValue()) {
                    next = read(events.nextValue());
                }
                return next != null;
            } catch (IOException e) {
                throw new IllegalStateException(ENDED, e);
            }
        }

        // Returns null for an event to skip.
        private Watch.@Nullable Response<M> read(JsonNode event) throws IOException {
            String type = event.path("type").asText();
            JsonNode object = event.path("object");
            if (type.equals("ERROR")) {
                return new Watch.Response<>(type, ModelJson.read(object, V1Status.class));
            }
            Optional<M> readable = readable(object);
            if (readable.isEmpty() && !type.equals("DELETED")) {
                return null;
            }
            return new Watch.Response<>(type, readable.isPresent() ? readable.get() : identity(object));
        }

        @Override
        public Watch.Response<M> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Watch.Response<M> event = Objects.requireNonNull(next);
            next = null;
            return event;
        }

        @Override
        public Iterator<Watch.Response<M>> iterator() {
            return this;
        }

        @Override
        public void close() {
            response.close();
        }
    }
}
