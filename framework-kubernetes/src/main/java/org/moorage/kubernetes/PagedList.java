// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.tree.ObjectStreams;

/** Reads all objects of a kind, page by page, with at most one object in memory as text. */
final class PagedList {
    private static final int PAGE_SIZE = 500;
    private static final int GONE = 410;

    private final ApiServer server;
    private final ObjectKind<?> kind;
    private final Map<String, String> query;
    private final Duration readTimeout;
    private final StopSignal stop;

    PagedList(ApiServer server, ObjectKind<?> kind, Map<String, String> query, Duration readTimeout, StopSignal stop) {
        this.server = server;
        this.kind = kind;
        this.query = Map.copyOf(query);
        this.readTimeout = readTimeout;
        this.stop = stop;
    }

    /** Receives the objects. */
    interface Items {
        /** Starts a list; objects added before are void. */
        void begin();

        /** Adds an object of the list. */
        void add(ObjectNode object);
    }

    /**
     * Reads the objects.
     *
     * @return the resource version of the list
     * @throws ClusterException if the response is not a success
     * @throws IOException if a response is not a list, or is truncated
     */
    String read(Items items) throws IOException {
        try {
            return read(items, PAGE_SIZE);
        } catch (ClusterException e) {
            if (e.httpStatus() != GONE) {
                throw e;
            }
            // The cluster changes faster than the pages can be read. A list in a single page cannot expire.
            return read(items, 0);
        }
    }

    private String read(Items items, int pageSize) throws IOException {
        items.begin();
        String continuation = "";
        do {
            Map<String, String> page = new LinkedHashMap<>(query);
            if (pageSize > 0) {
                page.put("limit", String.valueOf(pageSize));
            }
            if (!continuation.isEmpty()) {
                page.put("continue", continuation);
            }
            ObjectStreams.ListPage read;
            try (ApiServer.StreamedResponse response =
                    server.get("list " + kind.plural(), ApiServer.path(kind, "", ""), page, readTimeout)) {
                read = ObjectStreams.list(response.body(), kind, items::add);
            }
            continuation = read.continuation();
            if (continuation.isEmpty()) {
                return read.resourceVersion();
            }
        } while (!stop.isSent());
        throw new ClusterException("list " + kind.plural() + ": abandoned, since the client was closed", 0, null);
    }
}
