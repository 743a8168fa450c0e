// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * Configuration for the driver of a device, which the scheduler copies into allocations.
 *
 * @param requests the requests that it applies to; empty for all
 * @param json the configuration without the requests, as JSON text
 */
public record DeviceConfig(List<String> requests, String json) {
    public DeviceConfig {
        requests = List.copyOf(requests);
    }
}
