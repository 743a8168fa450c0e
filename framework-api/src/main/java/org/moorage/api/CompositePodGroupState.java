// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.CompositePodGroup;

/** A composite pod group and its children at a moment. It is there as long as the group or a child that names it is, and does not change. */
public interface CompositePodGroupState {
    /** The group; empty while only children that name it are known. */
    Optional<CompositePodGroup> compositePodGroup();

    /** The groups that name it as their parent, the oldest first, and those of one age by their names. */
    List<GroupKey> children();
}
