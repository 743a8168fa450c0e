// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.ClusterException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;

/**
 * Lists the objects of a kind again and again, without watching them. One that cannot be read is logged once, and treated as by a
 * watch: a bound pod counts with what can be read of it, anything else is left out. For use by one thread.
 */
public final class ObjectLists<T extends ClusterObject> {
    private final ApiRequests requests;
    private final ObjectKind<T> kind;
    private final Duration readTimeout;
    private final ServedVersions versions = new ServedVersions();
    private final WatchedObjects<T> objects;
    private final String what;

    /**
     * The lists of a kind.
     *
     * @param requests the API server
     * @param json which objects keep their text
     * @param readTimeout how long the next part of an answer may take
     */
    public ObjectLists(ApiRequests requests, ObjectKind<T> kind, Set<KeptJson> json, Duration readTimeout) {
        this.requests = requests;
        this.kind = kind;
        this.readTimeout = readTimeout;
        objects = new WatchedObjects<>(kind, json, new TreeDecoder(), (namespace, name) -> Optional.empty());
        what = "list " + kind.plural();
    }

    /** Takes the objects of a list. */
    public interface Taker<T> {
        /** The list begins; what came before does not count. */
        void begin();

        /** One of its objects. */
        void add(T object);
    }

    /**
     * Lists them, in the newest version that can be read and that the server serves.
     *
     * @throws ClusterException if the server does not answer with a list
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
