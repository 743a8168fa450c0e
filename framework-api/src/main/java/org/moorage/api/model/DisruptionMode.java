// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/** The unit of a {@link SchedulingGroup} that is disrupted together, for example by preemption. */
public enum DisruptionMode {
    /** Each of its pods or child groups individually; the default. */
    SINGLE,
    /** Only the group as a whole. */
    ALL
}
