// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.common.collect.Sets;
import java.util.Collections;
import java.util.Set;

/**
 * What the devices that consume of one counter set have in common, if there are any. Immutable.
 *
 * @param areGrouped whether they have compatibility groups; those without only go with others without
 * @param common the groups that all of them have
 */
record CompatibilityGroups(boolean areGrouped, Set<String> common) {
    CompatibilityGroups {
        common = Set.copyOf(common);
    }

    /** Those of a single device. */
    static CompatibilityGroups of(Set<String> groups) {
        return new CompatibilityGroups(!groups.isEmpty(), groups);
    }

    /** Whether a device of these groups goes with them. */
    boolean admit(Set<String> groups) {
        return areGrouped ? !Collections.disjoint(common, groups) : groups.isEmpty();
    }

    /** What they have in common with another device. */
    CompatibilityGroups with(Set<String> groups) {
        return areGrouped && !groups.isEmpty()
                ? new CompatibilityGroups(true, Sets.intersection(common, groups))
                : this;
    }
}
