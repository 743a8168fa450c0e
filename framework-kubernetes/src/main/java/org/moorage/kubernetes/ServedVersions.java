// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.tree.KindVersions;

/**
 * The API version to use for each kind: the newest readable one that the server serves. It is detected by the requests
 * for objects, which need no extra permission, and is valid until the server stops serving it. Safe for use by several
 * threads.
 */
final class ServedVersions {
    private final Map<ObjectKind<?>, String> known = new ConcurrentHashMap<>();

    /**
     * A request for objects of a kind.
     *
     * @param <T> the objects' type
     * @param <R> the response's type
     * @param <E> the exception that it may throw in addition to {@link ClusterException}
     */
    @FunctionalInterface
    interface Request<T extends ClusterObject, R, E extends Exception> {
        /** Sends the request for an API version of the kind. */
        R send(ObjectKind<T> version) throws E;
    }

    /**
     * Sends a request in the newest version that the server serves.
     *
     * @throws ClusterException the server's error for the newest version, if it serves none
     */
    <T extends ClusterObject, R, E extends Exception> R newest(ObjectKind<T> kind, Request<T, R, E> request) throws E {
        Optional<ClusterException> ofNewest = Optional.empty();
        for (ObjectKind<T> version : KindVersions.readable(kind)) {
            try {
                R answer = request.send(version);
                known.put(kind, version.apiVersion());
                return answer;
            } catch (ClusterException e) {
                if (!ApiStatus.isNotServed(e)) {
                    throw e;
                }
                ofNewest = ofNewest.or(() -> Optional.of(e));
            }
        }
        throw ofNewest.orElseThrow();
    }

    /** Sends a request in the version of the last successful one, or else in the newest that the server serves. */
    <T extends ClusterObject, R> R last(ObjectKind<T> kind, Request<T, R, RuntimeException> request) {
        String last = known.get(kind);
        for (ObjectKind<T> version : KindVersions.readable(kind)) {
            if (version.apiVersion().equals(last)) {
                try {
                    return request.send(version);
                } catch (ClusterException e) {
                    if (!ApiStatus.isNotServed(e)) {
                        throw e;
                    }
                }
            }
        }
        return newest(kind, request);
    }
}
