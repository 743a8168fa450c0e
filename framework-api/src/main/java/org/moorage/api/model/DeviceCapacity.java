// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A capacity of a device.
 *
 * @param value the amount
 * @param requestPolicy what requests may consume of a device that allows multiple allocations
 */
public record DeviceCapacity(Quantity value, Optional<RequestPolicy> requestPolicy) {
    public DeviceCapacity {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(requestPolicy, "requestPolicy");
    }

    /**
     * The amounts of a capacity that requests may consume.
     *
     * @param defaultValue the amount for requests that do not specify one
     * @param validValues the valid amounts, in ascending order
     * @param validRange the range of valid amounts
     */
    public record RequestPolicy(
            Optional<Quantity> defaultValue, List<Quantity> validValues, Optional<ValidRange> validRange) {
        public RequestPolicy {
            validValues = List.copyOf(validValues);
        }
    }

    /**
     * A range of amounts.
     *
     * @param min the minimum
     * @param max the maximum
     * @param step valid amounts are the minimum plus a multiple of it
     */
    public record ValidRange(Optional<Quantity> min, Optional<Quantity> max, Optional<Quantity> step) {}
}
