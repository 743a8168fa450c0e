// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * A constraint on the devices of several requests.
 *
 * @param requests the requests that it applies to; empty for all of the claim
 * @param matchAttribute the attribute that must be the same for all devices; empty if not set
 * @param distinctAttribute the attribute that must be different for all devices; empty if not set
 */
public record DeviceConstraint(List<String> requests, String matchAttribute, String distinctAttribute) {
    public DeviceConstraint {
        requests = List.copyOf(requests);
    }
}
