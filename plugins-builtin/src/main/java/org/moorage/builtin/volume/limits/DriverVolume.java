// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

/**
 * A volume of a storage driver.
 *
 * @param driver the driver's name
 * @param handle what the driver calls it
 */
record DriverVolume(String driver, String handle) {}
