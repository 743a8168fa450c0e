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

/** A composite pod group and the groups that name it as their parent, at a moment. It does not change: a change makes another one. */
final class CompositePodGroupChildren implements CompositePodGroupState {
    /**
     * A group that names this one as its parent.
     *
     * @param created when it was made
     * @param key its key
     */
    record Child(Instant created, GroupKey key) {}

    /** Without object and children. */
    static final CompositePodGroupChildren NONE = new CompositePodGroupChildren(
            null,
            SharedTree.empty(Comparator.comparing(Child::created)
                    .thenComparing(child -> child.key.name())
                    .thenComparing(child -> child.key.type())));

    private final @Nullable CompositePodGroup object;
    private final SharedTree<Child, GroupKey> children;

    // Made when it is asked for; whichever thread makes it, it is the same.
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
