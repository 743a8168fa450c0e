// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.Optional;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.CompositePodGroup;

/**
 * A composite pod group and its children at one moment. The state exists as long as the group or a child that names it
 * does. Immutable.
 */
@Experimental
public interface CompositePodGroupState {
    /** Returns the group; empty while only children that name it are known. */
    Optional<CompositePodGroup> compositePodGroup();

    /**
     * Returns the groups that name it as their parent, the oldest first; groups of the same age are ordered by name.
     */
    List<GroupKey> children();
}
