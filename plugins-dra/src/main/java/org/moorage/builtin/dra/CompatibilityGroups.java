// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.common.collect.Sets;
import java.util.Collections;
import java.util.Set;

/**
 * The compatibility groups common to the devices that consume from one counter set. Immutable.
 *
 * @param areGrouped whether the devices have groups; a device without groups is only compatible with others without
 * @param common the groups that all devices have
 */
record CompatibilityGroups(boolean areGrouped, Set<String> common) {
    CompatibilityGroups {
        common = Set.copyOf(common);
    }

    /** Returns the groups of a single device. */
    static CompatibilityGroups of(Set<String> groups) {
        return new CompatibilityGroups(!groups.isEmpty(), groups);
    }

    /** Returns whether a device with these groups is compatible with the devices so far. */
    boolean admit(Set<String> groups) {
        return areGrouped ? !Collections.disjoint(common, groups) : groups.isEmpty();
    }

    /** Returns the groups that remain common when a device with these groups is added. */
    CompatibilityGroups with(Set<String> groups) {
        return areGrouped && !groups.isEmpty()
                ? new CompatibilityGroups(true, Sets.intersection(common, groups))
                : this;
    }
}
