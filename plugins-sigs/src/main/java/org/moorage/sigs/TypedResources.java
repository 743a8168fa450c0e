// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * The custom resources of a kind as typed values. Each version of an object is parsed once. An object that cannot be
 * parsed is logged and treated as absent: scheduler-plugins cannot list such an object either, since the API server
 * rejects it by the schema.
 *
 * @param <T> the type of the values
 */
final class TypedResources<T> {
    private final ObjectLister<OtherObject> lister;
    private final Function<OtherObject, T> parse;
    private final Handle handle;
    private final Map<String, Parsed<T>> parsedByKey = new ConcurrentHashMap<>();

    private record Parsed<T>(OtherObject object, @Nullable T value) {}

    /**
     * Watches a kind. Call this while the plugin is created.
     *
     * @param parse converts an object; throws an IllegalArgumentException if a field has the wrong type
     */
    TypedResources(Handle handle, ObjectKind<OtherObject> kind, Function<OtherObject, T> parse) {
        this.handle = handle;
        this.lister = handle.cluster().lister(kind);
        this.parse = parse;
        handle.cluster().onChange(kind, this::changed);
    }

    private void changed(ObjectChange<OtherObject> change) {
        OtherObject object = change.latest();
        if (lister.current(object).isEmpty()) {
            parsedByKey.remove(object.key());
        }
    }

    /** Returns the value of an object; empty if the object does not exist or cannot be parsed. */
    Optional<T> get(String namespace, String name) {
        return lister.get(namespace, name).flatMap(this::of);
    }

    /** Returns an object, also one that cannot be parsed. */
    Optional<OtherObject> object(String namespace, String name) {
        return lister.get(namespace, name);
    }

    /** Returns all objects, also those that cannot be parsed. */
    Collection<OtherObject> objects() {
        return lister.all();
    }

    /** Returns the value of an object of the kind; empty if it cannot be parsed. */
    @SuppressWarnings("ReferenceEquality") // each version of an object is a separate object
    Optional<T> of(OtherObject object) {
        Parsed<T> known = parsedByKey.get(object.key());
        if (known == null || known.object() != object) {
            known = new Parsed<>(object, parsed(object));
            parsedByKey.put(object.key(), known);
        }
        return Optional.ofNullable(known.value());
    }

    private @Nullable T parsed(OtherObject object) {
        try {
            return parse.apply(object);
        } catch (IllegalArgumentException malformed) {
            handle.logger()
                    .warn(
                            "Ignored a malformed object",
                            "kind",
                            object.kind().kind(),
                            "object",
                            object.key(),
                            "problem",
                            malformed.getMessage());
            return null;
        }
    }

    /** Returns why the objects are unavailable; empty if they are available. */
    Optional<String> unavailable() {
        return lister.unavailable();
    }
}
