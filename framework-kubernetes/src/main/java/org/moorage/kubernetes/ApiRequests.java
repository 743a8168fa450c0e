// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.ObjectTrees;

/**
 * Reads and writes single objects of an API server as JSON, over its own connections, without a rate limit and with a
 * timeout for each request. Leader election and the authorization of callers must not wait for the scheduler's
 * requests, whose rate is limited.
 */
public final class ApiRequests implements AutoCloseable {
    private static final int IDLE_CONNECTIONS = 4;

    private final ApiClient client;
    private final InstantSource clock;
    private final RequestMetrics metrics;
    private final ConnectionPool connections = new ConnectionPool(IDLE_CONNECTIONS, 5, TimeUnit.MINUTES);
    private final OkHttpClient http;
    private final TokenBucket unlimited;
    private final StopSignal stop = new StopSignal();

    /**
     * Creates requests to the server of a client; sends nothing yet.
     *
     * @param client the connection, as from {@link ApiConnection#open}
     * @param clock the monotonic clock
     * @param metrics records the requests
     */
    public ApiRequests(ApiClient client, InstantSource clock, RequestMetrics metrics) {
        this.client = client;
        this.clock = clock;
        this.metrics = metrics;
        http = client.http()
                .newBuilder()
                .connectionPool(connections)
                .socketFactory(new NoDelaySocketFactory())
                .build();
        unlimited = new TokenBucket(0, 1, clock);
    }

    /**
     * Reads an object.
     *
     * @param what the request, for messages
     * @param atMost how long it may take
     * @return the object; empty if there is none
     * @throws ClusterException if the server did not return an object
     */
    public Optional<String> get(String what, String path, Duration atMost) {
        try {
            return Optional.of(server(atMost).object(what, path).toString());
        } catch (ClusterException e) {
            if (e.isNotFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Reads a page.
     *
     * @param what the request, for messages
     * @param atMost how long it may take
     * @param longest how many bytes it may have
     * @throws ClusterException if the response was not a success, or was longer
     */
    public String page(String what, String path, Duration atMost, int longest) {
        return server(atMost).page(what, path, longest);
    }

    /**
     * Creates an object.
     *
     * @param what the request, for messages
     * @param json the object
     * @param atMost how long it may take
     * @return the object as it is now
     * @throws ClusterException if the server rejected it, or did not respond
     * @throws ObjectDecodeException if the text is not an object in JSON
     */
    public String create(String what, String path, String json, Duration atMost) {
        return change(what, "POST", path, ApiServer.JSON, json, atMost);
    }

    /**
     * Replaces an existing object, like {@link #create}; the JSON must contain the resource version that it replaces.
     */
    public String replace(String what, String path, String json, Duration atMost) {
        return change(what, "PUT", path, ApiServer.JSON, json, atMost);
    }

    /**
     * Patches an object by a JSON merge patch.
     *
     * @param what the request, for messages
     * @param json the patch
     * @param atMost how long it may take
     * @return the object as it is now
     * @throws ClusterException if the server rejected it, or did not respond
     * @throws ObjectDecodeException if the text is not an object in JSON
     */
    public String patch(String what, String path, String json, Duration atMost) {
        return change(what, "PATCH", path, ApiServer.JSON_MERGE, json, atMost);
    }

    private String change(String what, String method, String path, String contentType, String json, Duration atMost) {
        return server(atMost)
                .changeObject(what, method, path, contentType, ObjectTrees.of(json))
                .toString();
    }

    /** Returns a list of the objects of a kind. */
    PagedList list(ObjectKind<?> kind, Duration readTimeout) {
        return new PagedList(server(readTimeout), kind, Map.of(), readTimeout, stop);
    }

    private ApiServer server(Duration timeout) {
        return new ApiServer(client, http, unlimited, Integer.MAX_VALUE, timeout, clock, stop, metrics);
    }

    @Override
    public void close() {
        stop.send();
        connections.evictAll();
    }
}
