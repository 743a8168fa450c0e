// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.ObjectFields;

/**
 * A request that a {@link FakeApiServer} received.
 *
 * @param method the HTTP method, for example {@code POST}
 * @param path the path, without the query
 * @param query the parameters of the query
 * @param headers the first value of each header; names are found in any case
 * @param body the body; empty if there is none
 */
public record Request(String method, String path, Map<String, String> query, Map<String, String> headers, String body) {
    /** Copies the maps. */
    public Request {
        query = Map.copyOf(query);
        Map<String, String> anyCase = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        anyCase.putAll(headers);
        headers = Collections.unmodifiableMap(anyCase);
    }

    /** Returns whether the request starts a watch. */
    public boolean isWatch() {
        return query.getOrDefault("watch", "").matches("true|1");
    }

    /** Returns a header, whose name may be in any case. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /**
     * Returns the fields of the body.
     *
     * @throws IllegalArgumentException if the body is not a JSON object
     */
    public ObjectFields fields() {
        return ObjectFields.of(body);
    }

    @Override
    public String toString() {
        return method + " " + path + query + " " + body;
    }
}
