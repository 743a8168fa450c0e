// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.StateKey;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.runtime.metrics.SchedulerMetrics;

/**
 * The plugins that PreFilter did not skip. Kept in the cycle's state, so that forks of it have them too.
 *
 * @param filters the filters
 * @param extensions the plugins to call when a pod is added to a draft of a node, or removed from it
 * @param nominated the pods that are nominated, by the name of the node, for the whole cycle: one whose nomination moves while
 *     nodes are looked at would be seen on neither
 * @param times is told how long calls of the filters take; null in most cycles
 */
record ActiveFilters(
        ProfileFilter[] filters,
        PreFilterExtensions[] extensions,
        Map<String, List<Pod>> nominated,
        @Nullable SchedulerMetrics times) {
    static final StateKey<ActiveFilters> KEY = StateKey.of("runtime/active-filters");

    /** The same plugins, and nobody is told how long their calls take. */
    ActiveFilters withoutTimes() {
        return times == null ? this : new ActiveFilters(filters, extensions, nominated, null);
    }
}
