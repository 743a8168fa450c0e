// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A rule that adds a taint to devices.
 *
 * @param metadata its name and the like
 * @param deviceSelector the devices that it taints; empty for none
 * @param taint the taint
 */
public record DeviceTaintRule(ObjectMeta metadata, Optional<Selector> deviceSelector, DeviceTaint taint)
        implements ClusterObject {
    public DeviceTaintRule {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(deviceSelector, "deviceSelector");
        Objects.requireNonNull(taint, "taint");
    }

    /**
     * A selector of devices by driver, pool and name.
     *
     * @param driver the driver of the devices; empty for all drivers
     * @param pool the pool of the devices; empty for all pools
     * @param device the name of the device; empty for all devices
     */
    public record Selector(String driver, String pool, String device) {
        public Selector {
            Objects.requireNonNull(driver, "driver");
            Objects.requireNonNull(pool, "pool");
            Objects.requireNonNull(device, "device");
        }

        private boolean selects(ResourceSlice slice, Device offered) {
            return (driver.isEmpty() || driver.equals(slice.driver()))
                    && (pool.isEmpty() || pool.equals(slice.pool().name()))
                    && (device.isEmpty() || device.equals(offered.name()));
        }
    }

    /**
     * Returns a slice with the taints of these rules added; the same instance if none of them selects a device of it.
     */
    public static ResourceSlice applied(Collection<DeviceTaintRule> rules, ResourceSlice slice) {
        List<Device> devices = new ArrayList<>(slice.devices().size());
        boolean isTainted = false;
        for (Device device : slice.devices()) {
            List<DeviceTaint> taints = new ArrayList<>(device.taints());
            for (DeviceTaintRule rule : rules) {
                if (rule.deviceSelector.isPresent() && rule.deviceSelector.get().selects(slice, device)) {
                    taints.add(rule.taint);
                }
            }
            boolean isChanged = taints.size() != device.taints().size();
            isTainted |= isChanged;
            devices.add(isChanged ? device.withTaints(taints) : device);
        }
        return isTainted ? slice.withDevices(devices) : slice;
    }
}
