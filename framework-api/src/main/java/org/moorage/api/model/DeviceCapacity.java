// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How much a device has of something.
 *
 * @param value the amount
 * @param requestPolicy how much of it one claim may ask for, if the device is shared
 */
public record DeviceCapacity(Quantity value, Optional<RequestPolicy> requestPolicy) {
    public DeviceCapacity {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(requestPolicy, "requestPolicy");
    }

    /**
     * How much one claim may ask for.
     *
     * @param defaultValue what it gets if it does not say
     * @param validValues the amounts that it may ask for, in rising order
     * @param validRange the range that it may ask for amounts of
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
     * @param min the least
     * @param max the most
     * @param step what amounts exceed the least by a multiple of
     */
    public record ValidRange(Optional<Quantity> min, Optional<Quantity> max, Optional<Quantity> step) {}
}
