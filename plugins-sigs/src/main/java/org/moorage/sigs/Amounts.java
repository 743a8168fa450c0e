// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongBinaryOperator;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Resources;

/**
 * Amounts of resources to calculate with: cpu in thousandths of a core, all others in units. Sums wrap around.
 *
 * @param scalars the amounts of all resources but cpu, memory and ephemeral storage
 */
record Amounts(long milliCpu, long memory, long ephemeralStorage, Map<String, Long> scalars) {
    static final Amounts NONE = new Amounts(0, 0, 0, Map.of());

    /** No limit for cpu, memory and storage; of scalars those that are not named have none either. */
    static final Amounts UNLIMITED = new Amounts(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Map.of());

    static Amounts of(Resources resources) {
        Map<String, Long> scalars = new TreeMap<>();
        for (int i = 0; i < resources.scalarCount(); i++) {
            scalars.put(resources.scalarName(i), resources.scalarAmount(i));
        }
        return new Amounts(resources.milliCpu(), resources.memory(), resources.ephemeralStorage(), scalars);
    }

    /**
     * Returns the effective request of a pod as scheduler-plugins computes it: sidecars count as other init containers,
     * which is less than what the kubelet counts.
     */
    static Amounts requestedBy(Pod pod) {
        Amounts requests = sum(pod.spec().containers());
        for (Container container : pod.spec().initContainers()) {
            requests = requests.max(of(Resources.of(container.requests())));
        }
        return pod.spec().overhead().isEmpty()
                ? requests
                : requests.plus(of(Resources.of(pod.spec().overhead())));
    }

    private static Amounts sum(Collection<Container> containers) {
        Amounts sum = NONE;
        for (Container container : containers) {
            sum = sum.plus(of(Resources.of(container.requests())));
        }
        return sum;
    }

    Amounts plus(Amounts other) {
        return new Amounts(
                milliCpu + other.milliCpu,
                memory + other.memory,
                ephemeralStorage + other.ephemeralStorage,
                merged(other, Long::sum));
    }

    Amounts minus(Amounts other) {
        Map<String, Long> negated = new TreeMap<>();
        other.scalars.forEach((name, amount) -> negated.put(name, -amount));
        return plus(new Amounts(-other.milliCpu, -other.memory, -other.ephemeralStorage, negated));
    }

    private Amounts max(Amounts other) {
        return new Amounts(
                Math.max(milliCpu, other.milliCpu),
                Math.max(memory, other.memory),
                Math.max(ephemeralStorage, other.ephemeralStorage),
                merged(other, Math::max));
    }

    private Map<String, Long> merged(Amounts other, LongBinaryOperator operator) {
        if (other.scalars.isEmpty()) {
            return scalars;
        }
        Map<String, Long> merged = new TreeMap<>(scalars);
        other.scalars.forEach(
                (name, amount) -> merged.put(name, operator.applyAsLong(merged.getOrDefault(name, 0L), amount)));
        return merged;
    }

    /**
     * Returns whether an amount exceeds its limit. Only scalars that are named here are compared.
     *
     * @param unnamed the limit of a scalar without one
     */
    boolean exceeds(Amounts limit, long unnamed) {
        if (milliCpu > limit.milliCpu || memory > limit.memory || ephemeralStorage > limit.ephemeralStorage) {
            return true;
        }
        for (Map.Entry<String, Long> scalar : scalars.entrySet()) {
            if (scalar.getValue() > limit.scalars.getOrDefault(scalar.getKey(), unnamed)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the amounts for people; scalars of 0 are omitted. */
    @Override
    public String toString() {
        Map<String, Long> used = new TreeMap<>(scalars);
        used.values().removeIf(amount -> amount == 0);
        return Resources.of(milliCpu, memory, ephemeralStorage, used).toString();
    }
}
