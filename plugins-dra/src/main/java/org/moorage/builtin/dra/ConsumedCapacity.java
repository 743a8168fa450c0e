// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.DeviceCapacity;
import org.moorage.api.model.DeviceCapacity.RequestPolicy;
import org.moorage.api.model.DeviceCapacity.ValidRange;
import org.moorage.api.model.Quantity;

/** The capacity that requests consume of devices that allow multiple allocations. */
final class ConsumedCapacity {
    private ConsumedCapacity() {}

    /**
     * Whether a request fits into what is left of a device's capacity.
     *
     * @param capacity the capacity of the device
     * @param requested the capacity that the request names
     * @param allocated what allocated claims consume
     * @param allocating what the claims that are about to be allocated consume
     */
    static boolean fits(
            Map<String, DeviceCapacity> capacity,
            Map<String, Quantity> requested,
            Map<String, Quantity> allocated,
            Map<String, Quantity> allocating) {
        if (!capacity.keySet().containsAll(requested.keySet())) {
            return false;
        }
        for (Map.Entry<String, DeviceCapacity> entry : capacity.entrySet()) {
            String name = entry.getKey();
            DeviceCapacity available = entry.getValue();
            Quantity consumed = consumed(available, requested.get(name));
            if (available.requestPolicy().isPresent()
                    && violatesPolicy(consumed, available.requestPolicy().get())) {
                return false;
            }
            Quantity sum = consumed.plus(allocated.getOrDefault(name, Quantity.ZERO))
                    .plus(allocating.getOrDefault(name, Quantity.ZERO));
            if (sum.compareTo(available.value()) > 0) {
                return false;
            }
        }
        return true;
    }

    /** What a request consumes of a device's capacity, by name. */
    static Map<String, Quantity> of(Map<String, DeviceCapacity> capacity, Map<String, Quantity> requested) {
        Map<String, Quantity> consumed = new HashMap<>();
        capacity.forEach((name, available) -> consumed.put(name, consumed(available, requested.get(name))));
        return consumed;
    }

    private static Quantity consumed(DeviceCapacity capacity, @Nullable Quantity requested) {
        Optional<RequestPolicy> policy = capacity.requestPolicy();
        if (requested == null) {
            return policy.flatMap(RequestPolicy::defaultValue).orElse(capacity.value());
        }
        if (policy.isEmpty()) {
            return requested;
        }
        Optional<ValidRange> range = policy.get().validRange();
        if (range.isPresent() && range.get().min().isPresent()) {
            return roundUpToRange(requested, range.get(), range.get().min().get());
        }
        for (Quantity valid : policy.get().validValues()) {
            if (requested.compareTo(valid) <= 0) {
                return valid;
            }
        }
        return requested;
    }

    private static Quantity roundUpToRange(Quantity requested, ValidRange range, Quantity min) {
        if (requested.compareTo(min) < 0) {
            return min;
        }
        if (range.step().isEmpty()) {
            return requested;
        }
        long step = range.step().get().value();
        long over = requested.value() - min.value();
        long steps = over / step + (over % step == 0 ? 0 : 1);
        return Quantity.of(min.value() + step * steps);
    }

    private static boolean violatesPolicy(Quantity requested, RequestPolicy policy) {
        if (policy.defaultValue().isPresent() && policy.defaultValue().get().equals(requested)) {
            return false;
        }
        if (policy.validRange().isPresent()) {
            return violatesRange(requested, policy.validRange().get());
        }
        List<Quantity> valid = policy.validValues();
        return !valid.isEmpty() && !valid.contains(requested);
    }

    private static boolean violatesRange(Quantity requested, ValidRange range) {
        if (range.max().isPresent() && requested.compareTo(range.max().get()) > 0) {
            return true;
        }
        long min = range.min().map(Quantity::value).orElse(0L);
        return range.step().isPresent()
                && (requested.value() - min) % range.step().get().value() != 0;
    }
}
