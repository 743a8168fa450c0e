// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/** A compiled expression about a device. Safe for use by several threads. */
public interface Selector {
    /**
     * Whether a device satisfies the expression.
     *
     * @throws SelectorException if the expression makes no sense for the device, or costs too much
     */
    boolean matches(DeviceMap device) throws SelectorException;
}
