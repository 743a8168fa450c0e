// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.math.BigDecimal;
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
    private static final String NOT_REPRESENTABLE =
            "capacity request cannot be represented in the device's range arithmetic: ";
    private static final List<String> BINARY_SUFFIXES = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    private static final List<String> DECIMAL_SUFFIXES = List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");

    private ConsumedCapacity() {}

    /**
     * Returns whether a request fits into what is left of a device's capacity.
     *
     * @param capacity the capacity of the device
     * @param requested the capacity that the request names
     * @param allocated the capacity that allocated claims consume
     * @param allocating the capacity that the claims of the current search consume
     * @throws AllocationException if the request cannot be counted in a range of the device; the message is about the
     *     capacity alone
     */
    static boolean fits(
            Map<String, DeviceCapacity> capacity,
            Map<String, Quantity> requested,
            Map<String, Quantity> allocated,
            Map<String, Quantity> allocating,
            DeviceFeatures features) {
        if (!capacity.keySet().containsAll(requested.keySet())) {
            return false;
        }
        // An amount that cannot be counted ends the search, even if another capacity does not fit.
        demandCountable(capacity, requested, features);
        for (Map.Entry<String, DeviceCapacity> entry : capacity.entrySet()) {
            String name = entry.getKey();
            DeviceCapacity available = entry.getValue();
            Quantity consumed = consumed(available, requested.get(name), features);
            if (available.requestPolicy().isPresent()
                    && violatesPolicy(consumed, available.requestPolicy().get(), features)) {
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

    // Reports the first capacity by name, so that the message is deterministic.
    private static void demandCountable(
            Map<String, DeviceCapacity> capacity, Map<String, Quantity> requested, DeviceFeatures features) {
        String first = "";
        String problem = "";
        for (Map.Entry<String, DeviceCapacity> entry : capacity.entrySet()) {
            String name = entry.getKey();
            String found = problem(entry.getValue(), requested.get(name), features);
            if (!found.isEmpty() && (problem.isEmpty() || name.compareTo(first) < 0)) {
                first = name;
                problem = found;
            }
        }
        if (!problem.isEmpty()) {
            throw new AllocationException("capacity \"" + first + "\": " + problem);
        }
    }

    private static String problem(DeviceCapacity capacity, @Nullable Quantity requested, DeviceFeatures features) {
        try {
            return consumed(capacity, requested, features).compareTo(Quantity.ZERO) < 0
                    ? "capacity value is negative"
                    : "";
        } catch (AllocationException invalid) {
            return String.valueOf(invalid.getMessage());
        }
    }

    /**
     * Returns how much of each capacity of a device a request consumes, by capacity name.
     *
     * @throws AllocationException if the request cannot be counted in a range of the device; the message is about the
     *     capacity alone
     */
    static Map<String, Quantity> of(
            Map<String, DeviceCapacity> capacity, Map<String, Quantity> requested, DeviceFeatures features) {
        Map<String, Quantity> all = new HashMap<>();
        capacity.forEach((name, available) -> all.put(name, consumed(available, requested.get(name), features)));
        return all;
    }

    private static Quantity consumed(DeviceCapacity capacity, @Nullable Quantity requested, DeviceFeatures features) {
        Optional<RequestPolicy> policy = capacity.requestPolicy();
        if (requested == null) {
            return policy.flatMap(RequestPolicy::defaultValue).orElse(capacity.value());
        }
        if (policy.isEmpty()) {
            return requested;
        }
        Optional<ValidRange> range = policy.get().validRange();
        if (range.isPresent() && range.get().min().isPresent()) {
            return roundUpToRange(requested, range.get(), range.get().min().get(), features);
        }
        for (Quantity valid : policy.get().validValues()) {
            if (requested.compareTo(valid) <= 0) {
                return valid;
            }
        }
        return requested;
    }

    private static Quantity roundUpToRange(
            Quantity requested, ValidRange range, Quantity min, DeviceFeatures features) {
        if (requested.compareTo(min) < 0) {
            return min;
        }
        if (range.step().isEmpty()) {
            return requested;
        }
        if (countsThousandths(range, features)) {
            if (!isInThousandths(requested)) {
                throw new AllocationException(
                        NOT_REPRESENTABLE + "request " + text(requested) + " is not a representable milli value");
            }
            long step = range.step().get().milliValue();
            long steps = stepsUp(requested.milliValue() - min.milliValue(), step);
            if (steps > (Long.MAX_VALUE - min.milliValue()) / step) {
                throw new AllocationException(NOT_REPRESENTABLE + "rounding request " + text(requested)
                        + " up to the next step passes the milli-value range");
            }
            return Quantity.ofMilli(min.milliValue() + step * steps);
        }
        long step = range.step().get().value();
        long steps = stepsUp(requested.value() - min.value(), step);
        if (min.value() >= 0 && steps > (Long.MAX_VALUE - min.value()) / step) {
            throw new AllocationException(
                    NOT_REPRESENTABLE + "rounding request " + text(requested) + " up to the next step passes MaxInt64");
        }
        return Quantity.of(min.value() + step * steps);
    }

    private static long stepsUp(long over, long step) {
        return over / step + (over % step == 0 ? 0 : 1);
    }

    // Only if nothing of the range is lost.
    private static boolean countsThousandths(ValidRange range, DeviceFeatures features) {
        return features.fractionalCapacityRange()
                && range.min().map(ConsumedCapacity::isInThousandths).orElse(true)
                && range.max().map(ConsumedCapacity::isInThousandths).orElse(true)
                && range.step()
                        .map(step -> isInThousandths(step) && step.milliValue() >= 1)
                        .orElse(true);
    }

    // Formats a quantity as kube-scheduler does: without a fraction, with the largest suffix. Whether the quantity was
    // written with a binary or a decimal suffix is unknown.
    private static String text(Quantity quantity) {
        BigDecimal amount = new BigDecimal(quantity.toString()).stripTrailingZeros();
        int exponent = Math.max(-9, Math.min(18, Math.floorDiv(-amount.scale(), 3) * 3));
        long whole = quantity.value();
        int binary = exponent == 0 ? Math.min(6, Long.numberOfTrailingZeros(whole) / 10) : 0;
        return binary > 0
                ? (whole >> 10 * binary) + BINARY_SUFFIXES.get(binary)
                : amount.movePointLeft(exponent).toPlainString() + DECIMAL_SUFFIXES.get(exponent / 3 + 3);
    }

    private static boolean isInThousandths(Quantity quantity) {
        return Quantity.ofMilli(quantity.milliValue()).equals(quantity);
    }

    private static boolean violatesPolicy(Quantity requested, RequestPolicy policy, DeviceFeatures features) {
        if (policy.defaultValue().isPresent() && policy.defaultValue().get().equals(requested)) {
            return false;
        }
        if (policy.validRange().isPresent()) {
            return violatesRange(requested, policy.validRange().get(), features);
        }
        List<Quantity> valid = policy.validValues();
        return !valid.isEmpty() && !valid.contains(requested);
    }

    private static boolean violatesRange(Quantity requested, ValidRange range, DeviceFeatures features) {
        if (range.max().isPresent() && requested.compareTo(range.max().get()) > 0) {
            return true;
        }
        if (range.step().isEmpty()) {
            return false;
        }
        Quantity step = range.step().get();
        Quantity min = range.min().orElse(Quantity.ZERO);
        if (countsThousandths(range, features)) {
            return !isInThousandths(requested) || (requested.milliValue() - min.milliValue()) % step.milliValue() != 0;
        }
        return (requested.value() - min.value()) % step.value() != 0;
    }
}
