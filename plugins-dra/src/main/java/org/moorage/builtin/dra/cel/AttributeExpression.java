// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import org.moorage.api.model.DeviceAttribute;

/** A compiled expression for an attribute of a device. Safe for use by several threads. */
public interface AttributeExpression {
    /**
     * The value of the attribute.
     *
     * @throws SelectorException if the expression makes no sense for the device, costs too much, or gives what no attribute can be
     */
    DeviceAttribute value(DeviceMap device) throws SelectorException;
}
