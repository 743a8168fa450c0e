// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
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
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.moorage.api.model.ObjectKind;

/**
 * Lists and watches for an informer of client-java's, and leaves out what the models do not know. With client-java's own codec a single
 * field of a newer API server keeps an informer from ever having synced.
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
    /** What an informer takes for a watch that has ended and is to be begun anew. */
    private static final String ENDED = "IO Exception during hasNext method.";

    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(10);

    private final String address;
    private final OkHttpClient http;
    private final Class<M> model;
    private final Class<L> list;

    /**
     * The objects of a kind, in all namespaces.
     *
     * @param client the connection
     * @param kind the kind, in the model's version
     */
    public LenientListerWatcher(ApiClient client, ObjectKind<?> kind, Class<M> model, Class<L> list) {
        org.moorage.kubernetes.ApiClient requests = ClientJavaRequests.through(client);
        address = requests.address() + (kind.group().isEmpty() ? "/api/" : "/apis/") + kind.apiVersion() + "/"
                + kind.plural();
        // Otherwise a connection that has died without a word keeps an informer waiting for ever.
        http = requests.http()
                .newBuilder()
                .readTimeout(LONGEST_SILENCE)
                .pingInterval(PING_INTERVAL)
                .build();
        this.model = Objects.requireNonNull(model, "model");
        this.list = Objects.requireNonNull(list, "list");
    }

    /** All pods. */
    public static LenientListerWatcher<V1Pod, V1PodList> pods(ApiClient client) {
        return new LenientListerWatcher<>(client, ObjectKind.POD, V1Pod.class, V1PodList.class);
    }

    /** All nodes. */
    public static LenientListerWatcher<V1Node, V1NodeList> nodes(ApiClient client) {
        return new LenientListerWatcher<>(client, ObjectKind.NODE, V1Node.class, V1NodeList.class);
    }

    @Override
    public L list(CallGeneratorParams params) throws ApiException {
        try (Response response = answer(params)) {
            return ModelJson.read(response.body().byteStream(), list);
        } catch (IOException e) {
            throw new ApiException(e);
        }
    }

    @Override
    public Watchable<M> watch(CallGeneratorParams params) throws ApiException {
        Response response = answer(params);
        try {
            return new Events<>(response, ModelJson.objects(response.body().byteStream()), model);
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
            // The server ends it by then.
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

    private record Events<M>(Response response, MappingIterator<JsonNode> events, Class<M> model)
            implements Watchable<M> {
        @Override
        public boolean hasNext() {
            try {
                return events.hasNextValue();
            } catch (IOException e) {
                throw new IllegalStateException(ENDED, e);
            }
        }

        @Override
        public Watch.Response<M> next() {
            try {
                JsonNode event = events.nextValue();
                String type = event.path("type").asText();
                JsonNode object = event.path("object");
                return type.equals("ERROR")
                        ? new Watch.Response<>(type, ModelJson.read(object, V1Status.class))
                        : new Watch.Response<>(type, ModelJson.read(object, model));
            } catch (NoSuchElementException e) {
                throw e;
            } catch (IOException e) {
                throw new IllegalStateException(ENDED, e);
            }
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
