// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.moorage.api.Code;

/**
 * The plugins that rejected an attempt.
 *
 * @param unschedulable the plugins that rejected and wait for an event
 * @param pending the plugins that rejected with {@link Code#PENDING}
 */
public record RejectorPlugins(Set<String> unschedulable, Set<String> pending) {
    /** No plugin rejected the attempt; it failed otherwise. */
    public static final RejectorPlugins NONE = new RejectorPlugins(Set.of(), Set.of());

    public RejectorPlugins {
        unschedulable = Set.copyOf(unschedulable);
        pending = Set.copyOf(pending);
    }

    public boolean isEmpty() {
        return unschedulable.isEmpty() && pending.isEmpty();
    }

    public boolean contains(String plugin) {
        return unschedulable.contains(plugin) || pending.contains(plugin);
    }

    List<String> sorted() {
        Set<String> all = new TreeSet<>(unschedulable);
        all.addAll(pending);
        return List.copyOf(all);
    }

    RejectorPlugins withUnschedulable(String plugin) {
        if (unschedulable.contains(plugin)) {
            return this;
        }
        Set<String> more = new HashSet<>(unschedulable);
        more.add(plugin);
        return new RejectorPlugins(more, pending);
    }
}
