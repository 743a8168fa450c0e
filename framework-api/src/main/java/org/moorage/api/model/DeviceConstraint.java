// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * Something that the devices of several requests must have in common, or must not.
 *
 * @param requests the requests that it is about; empty for all of the claim
 * @param matchAttribute the attribute in which all devices are the same; empty if it is not that
 * @param distinctAttribute the attribute in which all devices differ; empty if it is not that
 */
public record DeviceConstraint(List<String> requests, String matchAttribute, String distinctAttribute) {
    public DeviceConstraint {
        requests = List.copyOf(requests);
    }
}
