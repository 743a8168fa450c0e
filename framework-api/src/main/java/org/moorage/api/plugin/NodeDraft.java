// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;

/**
 * A node and a cycle's state to try things on: what would be if this pod left, or that one came. Neither the snapshot nor
 * the original state is changed. For one thread at a time.
 */
public interface NodeDraft {
    /** The node as it would be. The same view for the draft's whole life. */
    NodeInfo node();

    /** The state as it would be. */
    CycleState state();

    /** Adds a pod, and tells the profile's {@link PreFilterExtensions}. */
    void add(Pod pod);

    /** Removes a pod, and tells the profile's {@link PreFilterExtensions}. */
    void remove(Pod pod);
}
