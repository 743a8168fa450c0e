// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import org.moorage.api.model.DeviceAttribute;

/** A compiled expression for an attribute of a device. Safe for use by several threads. */
public interface AttributeExpression {
    /**
     * Returns the value of the attribute.
     *
     * @throws SelectorException if the expression fails for the device, exceeds the cost limit, or returns a value of a
     *     type that no attribute has
     */
    DeviceAttribute value(DeviceMap device) throws SelectorException;
}
