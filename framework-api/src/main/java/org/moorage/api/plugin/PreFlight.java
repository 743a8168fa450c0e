// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/**
 * What a {@link PreBindPlugin} has to do for a pod, and whether it may do it beside its neighbours.
 *
 * <p>Neighbours in the profile's order that may run together are run together; the others run one after the other.
 */
public enum PreFlight {
    /** There is work, and the plugin does it alone. */
    RUN_ALONE,
    /** There is work, and neighbours may work at the same time. */
    RUN_TOGETHER,
    /** There is no work; the plugin would have worked alone, so it keeps its neighbours apart. */
    SKIP_ALONE,
    /** There is no work. */
    SKIP_TOGETHER;

    /** Whether the plugin has nothing to do. */
    public boolean isSkip() {
        return this == SKIP_ALONE || this == SKIP_TOGETHER;
    }

    /** Whether neighbours may work at the same time. */
    public boolean isTogether() {
        return this == RUN_TOGETHER || this == SKIP_TOGETHER;
    }
}
