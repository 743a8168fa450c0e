// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.model.CompositePodGroup;

/** An immutable composite pod group with its children; each change returns a new instance. */
final class CompositePodGroupChildren implements CompositePodGroupState {
    /**
     * A group that names this one as its parent.
     *
     * @param created its creation time
     * @param key its key
     */
    record Child(Instant created, GroupKey key) {}

    /** No object and no children. */
    static final CompositePodGroupChildren NONE = new CompositePodGroupChildren(
            null,
            SharedTree.empty(Comparator.comparing(Child::created)
                    .thenComparing(child -> child.key.name())
                    .thenComparing(child -> child.key.type())));

    private final @Nullable CompositePodGroup object;
    private final SharedTree<Child, GroupKey> children;

    // Created on first use; a race between threads only creates equal lists.
    private @Nullable List<GroupKey> keys;

    private CompositePodGroupChildren(@Nullable CompositePodGroup object, SharedTree<Child, GroupKey> children) {
        this.object = object;
        this.children = children;
    }

    @Override
    public Optional<CompositePodGroup> compositePodGroup() {
        return Optional.ofNullable(object);
    }

    @Override
    public List<GroupKey> children() {
        List<GroupKey> all = keys;
        if (all == null) {
            List<GroupKey> sorted = new ArrayList<>();
            children.forEach((child, key) -> sorted.add(key));
            all = Collections.unmodifiableList(sorted);
            keys = all;
        }
        return all;
    }

    boolean isEmpty() {
        return object == null && children.isEmpty();
    }

    CompositePodGroupChildren withObject(@Nullable CompositePodGroup changed) {
        return new CompositePodGroupChildren(changed, children);
    }

    CompositePodGroupChildren with(Child child) {
        return new CompositePodGroupChildren(object, children.with(child, child.key));
    }

    CompositePodGroupChildren without(Child child) {
        return new CompositePodGroupChildren(object, children.without(child));
    }
}
