// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/** A compiled expression about a device. Safe for use by several threads. */
public interface Selector {
    /**
     * Returns whether a device satisfies the expression.
     *
     * @throws SelectorException if the expression fails for the device, or exceeds the cost limit
     */
    boolean matches(DeviceMap device) throws SelectorException;
}
