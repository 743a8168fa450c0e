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

/** What requests take of a device's capacity. */
final class Amounts {
    private Amounts() {}

    /**
     * Whether a device has enough left.
     *
     * @param capacity what the device has
     * @param requested what the request names
     * @param taken what claims have of it already
     * @param taking what the claims at hand were just given of it
     */
    static boolean fit(
            Map<String, DeviceCapacity> capacity,
            Map<String, Quantity> requested,
            Map<String, Quantity> taken,
            Map<String, Quantity> taking) {
        if (!capacity.keySet().containsAll(requested.keySet())) {
            return false;
        }
        for (Map.Entry<String, DeviceCapacity> entry : capacity.entrySet()) {
            DeviceCapacity has = entry.getValue();
            Quantity wanted = consumed(has, requested.get(entry.getKey()));
            if (has.requestPolicy().isPresent()
                    && violates(wanted, has.requestPolicy().get())) {
                return false;
            }
            Quantity sum = wanted.plus(taken.getOrDefault(entry.getKey(), Quantity.ZERO))
                    .plus(taking.getOrDefault(entry.getKey(), Quantity.ZERO));
            if (sum.compareTo(has.value()) > 0) {
                return false;
            }
        }
        return true;
    }

    /** What a request takes of a device, by name. */
    static Map<String, Quantity> consumed(Map<String, DeviceCapacity> capacity, Map<String, Quantity> requested) {
        Map<String, Quantity> consumed = new HashMap<>();
        capacity.forEach((name, has) -> consumed.put(name, consumed(has, requested.get(name))));
        return consumed;
    }

    private static Quantity consumed(DeviceCapacity has, @Nullable Quantity requested) {
        Optional<RequestPolicy> policy = has.requestPolicy();
        if (requested == null) {
            return policy.flatMap(RequestPolicy::defaultValue).orElse(has.value());
        }
        if (policy.isEmpty()) {
            return requested;
        }
        Optional<ValidRange> range = policy.get().validRange();
        if (range.isPresent() && range.get().min().isPresent()) {
            return roundedUp(requested, range.get(), range.get().min().get());
        }
        for (Quantity valid : policy.get().validValues()) {
            if (requested.compareTo(valid) <= 0) {
                return valid;
            }
        }
        return requested;
    }

    private static Quantity roundedUp(Quantity requested, ValidRange range, Quantity min) {
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

    private static boolean violates(Quantity wanted, RequestPolicy policy) {
        if (policy.defaultValue().isPresent() && policy.defaultValue().get().equals(wanted)) {
            return false;
        }
        if (policy.validRange().isPresent()) {
            return violates(wanted, policy.validRange().get());
        }
        List<Quantity> valid = policy.validValues();
        return !valid.isEmpty() && !valid.contains(wanted);
    }

    private static boolean violates(Quantity wanted, ValidRange range) {
        if (range.max().isPresent() && wanted.compareTo(range.max().get()) > 0) {
            return true;
        }
        long min = range.min().map(Quantity::value).orElse(0L);
        return range.step().isPresent()
                && (wanted.value() - min) % range.step().get().value() != 0;
    }
}
