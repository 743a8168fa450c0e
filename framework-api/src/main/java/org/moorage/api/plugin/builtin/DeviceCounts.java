// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.builtin;

import java.util.Collections;
import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.StateKey;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.plugin.Handle;

/**
 * The number of devices of a class that nodes can use, and the number of allocated ones.
 *
 * <p>The plugin that allocates devices shares the counts under {@link #SHARED} when it is created. A plugin that scores
 * nodes gets them when it is about to score a pod:
 *
 * <pre>{@code
 * DeviceCounts counts = handle.shared(DeviceCounts.SHARED, () -> DeviceCounts.NONE);
 * }</pre>
 */
@Experimental
@FunctionalInterface
public interface DeviceCounts {
    /** The key for {@link Handle#shared}. */
    StateKey<DeviceCounts> SHARED = StateKey.of("DeviceCounts");

    /** Counts of zero for every node, for a scheduler that allocates no devices. */
    DeviceCounts NONE = (deviceClass, nodes) -> Collections.nCopies(nodes.size(), Count.NONE);

    /**
     * Returns the current counts of a device class for each of these nodes, in their order. All devices in the slices
     * count, whether or not they can be allocated to claims. A node counts as having none if it cannot be determined
     * which of its devices match the class.
     */
    List<Count> of(DeviceClass deviceClass, List<NodeInfo> nodes);

    /**
     * The counts of one node.
     *
     * @param devices the number of devices
     * @param allocated the number of devices that are allocated to claims, in whole or in part
     */
    record Count(long devices, long allocated) {
        /** No devices. */
        public static final Count NONE = new Count(0, 0);
    }
}
