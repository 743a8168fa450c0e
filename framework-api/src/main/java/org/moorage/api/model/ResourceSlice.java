// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/**
 * A resource slice: devices or shared counters of a pool.
 *
 * @param metadata its name and the like
 * @param driver the driver of the devices
 * @param pool the pool
 * @param nodeSelection the nodes on which the devices are available
 * @param perDeviceNodeSelection whether each device has its own node selection
 * @param devices the devices
 * @param sharedCounters the counter sets that the devices of the pool share; a slice has devices or counter sets, not
 *     both
 * @param skipNodeOperations the operations that the kubelet skips for the devices
 */
public record ResourceSlice(
        ObjectMeta metadata,
        String driver,
        Pool pool,
        NodeSelection nodeSelection,
        boolean perDeviceNodeSelection,
        List<Device> devices,
        List<CounterSet> sharedCounters,
        List<String> skipNodeOperations)
        implements ClusterObject {
    public ResourceSlice {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(driver, "driver");
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(nodeSelection, "nodeSelection");
        devices = List.copyOf(devices);
        sharedCounters = List.copyOf(sharedCounters);
        skipNodeOperations = List.copyOf(skipNodeOperations);
    }

    /**
     * A pool of devices.
     *
     * @param name its name, unique for the driver
     * @param generation the generation; slices of lower generations are obsolete
     * @param sliceCount the number of slices of this generation
     */
    public record Pool(String name, long generation, long sliceCount) {}

    /** Returns the same slice with other devices. */
    public ResourceSlice withDevices(List<Device> others) {
        return new ResourceSlice(
                metadata,
                driver,
                pool,
                nodeSelection,
                perDeviceNodeSelection,
                others,
                sharedCounters,
                skipNodeOperations);
    }

    /** Returns whether it has shared counters instead of devices. */
    public boolean hasCounters() {
        return !sharedCounters.isEmpty();
    }
}
