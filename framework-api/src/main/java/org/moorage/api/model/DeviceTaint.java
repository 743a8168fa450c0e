// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A taint of a device.
 *
 * @param key its name
 * @param value its value
 * @param effect {@code NoSchedule}, {@code NoExecute}, or one that does not prevent allocation
 */
public record DeviceTaint(String key, String value, String effect) {
    /** Returns whether the device is not allocated to requests that do not tolerate the taint. */
    public boolean preventsAllocation() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }
}
