// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;

/**
 * Lists the objects of a kind repeatedly, without watching them. An unreadable object is logged once, and treated as in
 * a watch: a bound pod is reduced to its readable part, any other object is omitted. For use by one thread.
 */
public final class ObjectLists<T extends ClusterObject> {
    private final ApiRequests requests;
    private final ObjectKind<T> kind;
    private final Duration readTimeout;
    private final ServedVersions versions = new ServedVersions();
    private final WatchedObjects<T> objects;
    private final String what;

    /**
     * Creates the lists of a kind.
     *
     * @param requests the API server
     * @param json which objects keep their JSON text
     * @param readTimeout how long the next part of a response may take
     */
    public ObjectLists(ApiRequests requests, ObjectKind<T> kind, Set<KeptJson> json, Duration readTimeout) {
        this.requests = requests;
        this.kind = kind;
        this.readTimeout = readTimeout;
        objects = new WatchedObjects<>(kind, json, new TreeDecoder(), (namespace, name) -> Optional.empty());
        what = "list " + kind.plural();
    }

    /** Receives the objects of a list. */
    public interface Taker<T> {
        /** Starts the list; objects added before are void. */
        void begin();

        /** Adds an object of the list. */
        void add(T object);
    }

    /**
     * Lists the objects in the newest readable API version that the server serves.
     *
     * @throws ClusterException if the server does not return a list
     */
    public void read(Taker<T> taker) {
        try {
            PagedList.Items items = new PagedList.Items() {
                @Override
                public void begin() {
                    objects.listBegins();
                    taker.begin();
                }

                @Override
                public void add(ObjectNode object) {
                    objects.read(object).ifPresent(taker::add);
                }
            };
            String ignored = versions.<T, String, IOException>newest(
                    kind, version -> requests.list(version, readTimeout).read(items));
            objects.listEnds();
        } catch (IOException e) {
            throw new ClusterException(what + ": " + ErrorText.of(e), 0, e);
        }
    }
}
