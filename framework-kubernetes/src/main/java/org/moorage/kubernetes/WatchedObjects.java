// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.TreeDecoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes the objects of one kind. An object that cannot be read, for example with a value of the wrong type, keeps its
 * last known state; a bound pod that is not known is reduced to its readable part; other unreadable objects are
 * omitted. For use by one thread.
 */
final class WatchedObjects<T extends ClusterObject> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedObjects.class);

    private final ObjectKind<T> kind;
    private final Set<KeptJson> json;
    private final TreeDecoder decoder;
    private final Known<T> known;
    /** The keys of objects that cannot be read; each is logged once. */
    private final Set<String> unreadable = new HashSet<>();

    /** The unreadable objects of the current list. */
    private final Set<String> unreadableInList = new HashSet<>();

    /** Looks up the known object of a namespace and a name. */
    interface Known<T> {
        Optional<T> find(String namespace, String name);
    }

    WatchedObjects(ObjectKind<T> kind, Set<KeptJson> json, TreeDecoder decoder, Known<T> known) {
        this.kind = kind;
        this.json = json;
        this.decoder = decoder;
        this.known = known;
    }

    /** Returns the number of objects that cannot be read. */
    int unreadable() {
        return unreadable.size();
    }

    /** Starts a list. */
    void listBegins() {
        unreadableInList.clear();
    }

    /** Ends a list, and removes unreadable objects that were not in it. */
    void listEnds() {
        unreadable.retainAll(unreadableInList);
    }

    /** Returns the object to pass to the listener; empty to omit it. */
    Optional<T> read(ObjectNode tree) {
        try {
            T object = decoder.decode(kind, tree, json);
            if (!unreadable.isEmpty()) {
                unreadable.remove(object.key());
            }
            return Optional.of(object);
        } catch (RuntimeException | StackOverflowError e) {
            T identity = identity(tree);
            unreadableInList.add(identity.key());
            Optional<T> kept = kept(tree, identity);
            if (unreadable.add(identity.key())) {
                LOG.atWarn()
                        .addKeyValue("kind", kind)
                        .addKeyValue("namespace", identity.namespace())
                        .addKeyValue("name", identity.name())
                        .addKeyValue("cause", e instanceof ObjectDecodeException ? e.getMessage() : ErrorText.of(e))
                        .log(
                                kept.isPresent()
                                        ? "An object cannot be read; it stays as it was known, or as far as it can be"
                                                + " read"
                                        : "An object cannot be read; it is skipped");
            }
            return kept;
        }
    }

    /** Returns the deleted object, or only its identity if the rest cannot be read. */
    T readDeleted(ObjectNode tree) {
        T identity = identity(tree);
        unreadable.remove(identity.key());
        try {
            return decoder.decode(kind, tree, json);
        } catch (RuntimeException | StackOverflowError unreadableObject) {
            return identity;
        }
    }

    private Optional<T> kept(ObjectNode tree, T identity) {
        Optional<T> before = known.find(identity.namespace(), identity.name())
                .filter(object ->
                        object.metadata().uid().equals(identity.metadata().uid()) && isOnSameNode(object, identity));
        if (before.isPresent() || !(identity instanceof Pod pod) || !pod.isBound()) {
            return before;
        }
        Pod part = decoder.readablePart(tree);
        return part.isBound() ? Optional.of(kind.type().cast(part)) : Optional.empty();
    }

    // A pod that was bound after its known state must count on its new node.
    private static boolean isOnSameNode(ClusterObject known, ClusterObject now) {
        return !(known instanceof Pod before)
                || !(now instanceof Pod after)
                || before.nodeName().equals(after.nodeName());
    }

    private T identity(ObjectNode tree) {
        return decoder.decode(kind, TreeDecoder.identityOf(tree), KeptJson.NONE);
    }
}
