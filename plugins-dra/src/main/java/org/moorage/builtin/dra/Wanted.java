// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.List;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;

/**
 * A request, or an alternative of one, ready to be looked for.
 *
 * @param request what it says
 * @param parent the name of the request that it is an alternative of; empty if it is the request itself
 * @param deviceClass its class
 * @param count how many devices it takes
 * @param all the devices, if it takes all there are
 */
record Wanted(DeviceRequest request, String parent, DeviceClass deviceClass, int count, List<OfferedDevice> all) {
    /** The name of the request, without the alternative. */
    String requestName() {
        return parent.isEmpty() ? request.name() : parent;
    }

    /** The name of the alternative; empty if it is none. */
    String alternativeName() {
        return parent.isEmpty() ? "" : request.name();
    }

    /** The name as results have it. */
    String fullName() {
        return parent.isEmpty() ? request.name() : parent + "/" + request.name();
    }
}
