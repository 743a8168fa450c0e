// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/** What of a {@link SchedulingGroup} may be disrupted at once, by preemption for example. */
public enum DisruptionMode {
    /** Each of its pods, or of its child groups, on its own; the default. */
    SINGLE,
    /** Only all of it. */
    ALL
}
