// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

/**
 * A volume of a CSI driver.
 *
 * @param driver the driver's name
 * @param handle the volume handle
 */
record CsiVolume(String driver, String handle) {}
