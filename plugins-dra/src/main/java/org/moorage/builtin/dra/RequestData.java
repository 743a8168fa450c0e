// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.List;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;

/**
 * A request or subrequest that devices are searched for.
 *
 * @param request the request or subrequest
 * @param parentRequest the name of the request that a subrequest is part of; empty for a request
 * @param deviceClass its device class
 * @param numDevices how many devices it needs
 * @param allDevices the devices, if it requests all that match
 */
record RequestData(
        DeviceRequest request,
        String parentRequest,
        DeviceClass deviceClass,
        long numDevices,
        List<DeviceWithId> allDevices) {
    boolean isSubrequest() {
        return !parentRequest.isEmpty();
    }

    /** Returns the name of the request, without the subrequest. */
    String baseRequestName() {
        return isSubrequest() ? parentRequest : request.name();
    }

    /** Returns the name of the subrequest; empty for a request. */
    String subrequestName() {
        return isSubrequest() ? request.name() : "";
    }

    /** Returns the name in allocation results. */
    String requestName() {
        return isSubrequest() ? parentRequest + "/" + request.name() : request.name();
    }
}
