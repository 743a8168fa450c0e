// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * Keeps claims off a device that do not tolerate it.
 *
 * @param key its name
 * @param value its value
 * @param effect {@code NoSchedule}, {@code NoExecute}, or one that does not prevent allocation
 */
public record DeviceTaint(String key, String value, String effect) {
    /** Whether a device with it is not given to a request that does not tolerate it. */
    public boolean preventsAllocation() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }
}
