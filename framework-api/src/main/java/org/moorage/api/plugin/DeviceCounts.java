// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Collections;
import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.StateKey;
import org.moorage.api.model.DeviceClass;

/**
 * How many devices of a class nodes can use, and how many of them are allocated.
 *
 * <p>Whoever gives devices away knows that, and shares it under {@link #SHARED} when it is made; who scores nodes asks for it
 * there once a pod is about to be scored:
 *
 * <pre>{@code
 * DeviceCounts counts = handle.shared(DeviceCounts.SHARED, () -> DeviceCounts.NONE);
 * }</pre>
 */
@FunctionalInterface
public interface DeviceCounts {
    /** Under which it is shared, see {@link Handle#shared}. */
    StateKey<DeviceCounts> SHARED = StateKey.of("DeviceCounts");

    /** No devices anywhere, as if nobody gave any away. */
    DeviceCounts NONE = (deviceClass, nodes) -> Collections.nCopies(nodes.size(), Count.NONE);

    /**
     * The devices of a class as they are now, for each of these nodes, in their order. Devices are counted as the slices list
     * them, whether claims could be given them or not; none are counted for a node if it cannot be told which ones
     * are of the class.
     */
    List<Count> of(DeviceClass deviceClass, List<NodeInfo> nodes);

    /**
     * The devices of a node.
     *
     * @param devices how many there are
     * @param allocated how many of them are allocated to claims, in whole or in part
     */
    record Count(long devices, long allocated) {
        /** There are none. */
        public static final Count NONE = new Count(0, 0);
    }
}
