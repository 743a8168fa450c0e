// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;

/**
 * A copy of a node and of a cycle's state, to which pods can be added, and from which they can be removed. Neither the snapshot
 * nor the original state is changed. For one thread at a time.
 */
public interface NodeDraft {
    /** The node with these changes. The same view for the draft's whole life. */
    NodeInfo node();

    /** The state with these changes. */
    CycleState state();

    /** Adds a pod, and tells the profile's {@link PreFilterExtensions}. */
    void add(Pod pod);

    /** Removes a pod, and tells the profile's {@link PreFilterExtensions}. */
    void remove(Pod pod);
}
