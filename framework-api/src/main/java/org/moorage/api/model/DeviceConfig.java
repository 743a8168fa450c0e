// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * Configuration that the driver of a device gets and scheduling only passes on.
 *
 * @param requests the requests that it is for; empty for all
 * @param json the configuration without that, as JSON text
 */
public record DeviceConfig(List<String> requests, String json) {
    public DeviceConfig {
        requests = List.copyOf(requests);
    }
}
