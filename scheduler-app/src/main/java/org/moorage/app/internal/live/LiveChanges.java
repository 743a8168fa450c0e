// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.objects.EventType;
import org.moorage.runtime.cluster.ClusterListener;

/**
 * A listener that reports a cluster as a sequence of changes without gaps: after a watch breaks off, the new list is
 * compared with the known objects, and the differences are reported as changes, too. Only names and versions of the
 * objects are kept.
 */
public final class LiveChanges implements ClusterListener {
    private final Consumer<LiveChange> consumer;
    private final BiConsumer<ObjectKind<?>, String> missing;
    private final Set<ObjectKind<?>> told = ConcurrentHashMap.newKeySet();
    private final Map<ObjectKind<?>, Map<String, Version>> known = new ConcurrentHashMap<>();

    private record Version(String namespace, String name, String uid, String resourceVersion) {
        static Version of(ObjectMeta metadata) {
            return new Version(metadata.namespace(), metadata.name(), metadata.uid(), metadata.resourceVersion());
        }
    }

    /**
     * Creates a listener that reports changes.
     *
     * @param consumer receives the changes, in order within a kind; called by one thread per kind
     * @param missing receives each kind that cannot be listed, once, with a sentence that gives the reason
     */
    public LiveChanges(Consumer<LiveChange> consumer, BiConsumer<ObjectKind<?>, String> missing) {
        this.consumer = consumer;
        this.missing = missing;
    }

    private Map<String, Version> known(ObjectKind<?> kind) {
        return known.computeIfAbsent(kind, any -> new ConcurrentHashMap<>());
    }

    @Override
    public <T extends ClusterObject> Listing<T> listing(ObjectKind<T> kind) {
        Set<String> listed = new HashSet<>();
        return new Listing<>() {
            @Override
            public void add(T object) {
                listed.add(object.key());
                applied(kind, object);
            }

            @Override
            public void end() {
                for (Map.Entry<String, Version> entry : Map.copyOf(known(kind)).entrySet()) {
                    if (!listed.contains(entry.getKey())) {
                        gone(kind, entry.getKey(), Optional.empty());
                    }
                }
            }
        };
    }

    @Override
    public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
        Listing<T> listing = listing(kind);
        objects.forEach(listing::add);
        listing.end();
    }

    @Override
    public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
        Version now = Version.of(object.metadata());
        Version before = known(kind).get(object.key());
        if (now.equals(before)) {
            return;
        }
        if (before != null && !before.uid().equals(now.uid())) {
            gone(kind, object.key(), Optional.empty());
            before = null;
        }
        known(kind).put(object.key(), now);
        consumer.accept(new LiveChange(
                kind,
                before == null ? EventType.ADDED : EventType.MODIFIED,
                now.namespace(),
                now.name(),
                now.uid(),
                Optional.of(object)));
    }

    @Override
    public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
        gone(kind, object.key(), Optional.of(object));
    }

    private void gone(ObjectKind<?> kind, String key, Optional<? extends ClusterObject> object) {
        Version version = known(kind).remove(key);
        if (version != null) {
            consumer.accept(new LiveChange(
                    kind, EventType.DELETED, version.namespace(), version.name(), version.uid(), object));
        }
    }

    @Override
    public <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {
        if (told.add(kind)) {
            missing.accept(kind, reason);
        }
    }
}
