// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import org.moorage.api.StateKey;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.PreFilterExtensions;

/**
 * What the runtime itself keeps in a cycle's state, so that forks of it carry it along.
 *
 * @param filters the filters that have a say about the pod
 * @param extensions the plugins to tell when a pod is thought to come or go
 */
record ActiveFilters(FilterPlugin[] filters, PreFilterExtensions[] extensions) {
    static final StateKey<ActiveFilters> KEY = StateKey.of("runtime/notes");
}
