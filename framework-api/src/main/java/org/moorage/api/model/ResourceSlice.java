// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;

/**
 * Devices that a driver offers: a part of a pool.
 *
 * @param metadata its name and the like
 * @param driver the driver of the devices
 * @param pool the pool that it is a part of
 * @param reach the nodes from which the devices can be used
 * @param perDeviceNodeSelection whether each device says that for itself
 * @param devices the devices
 * @param sharedCounters what the devices of the pool share; a slice has devices or counters, not both
 */
public record ResourceSlice(
        ObjectMeta metadata,
        String driver,
        Pool pool,
        NodeReach reach,
        boolean perDeviceNodeSelection,
        List<Device> devices,
        List<CounterSet> sharedCounters)
        implements ClusterObject {
    public ResourceSlice {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(driver, "driver");
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(reach, "reach");
        devices = List.copyOf(devices);
        sharedCounters = List.copyOf(sharedCounters);
    }

    /**
     * A pool of devices.
     *
     * @param name its name, unique for the driver
     * @param generation rises when the pool is described anew; slices of lower ones are out of date
     * @param sliceCount how many slices of this generation there are
     */
    public record Pool(String name, long generation, long sliceCount) {}

    /** The same slice with other devices. */
    public ResourceSlice withDevices(List<Device> others) {
        return new ResourceSlice(metadata, driver, pool, reach, perDeviceNodeSelection, others, sharedCounters);
    }

    /** Whether it describes what devices share, rather than devices. */
    public boolean hasCounters() {
        return !sharedCounters.isEmpty();
    }
}
