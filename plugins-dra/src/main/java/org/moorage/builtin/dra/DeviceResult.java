// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Map;
import org.moorage.api.model.Quantity;

/**
 * A device that a search allocates to a request.
 *
 * @param request the request
 * @param device the device
 * @param shareId the id of the share of a device that allows multiple allocations; empty for another device
 * @param consumedCapacity what the share consumes, by the name of the capacity
 */
record DeviceResult(RequestData request, DeviceWithId device, String shareId, Map<String, Quantity> consumedCapacity) {}
