// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Resources;

/**
 * Amounts of resources to calculate with: cpu in thousandths of a core, all others in units. Sums wrap around.
 *
 * @param scalars the amounts of all resources but cpu, memory and ephemeral storage
 */
record Amounts(long milliCpu, long memory, long ephemeralStorage, Map<String, Long> scalars) {
    static final Amounts NONE = new Amounts(0, 0, 0, Map.of());

    private static final List<String> UNITS = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi");

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
        return sum(pod, Container::requests);
    }

    /** Returns the effective limits of a pod, which are computed as {@link #requestedBy} computes requests. */
    static Amounts limitsOf(Pod pod) {
        return sum(pod, Container::limits);
    }

    // The amounts of each container are rounded on their own.
    private static Amounts sum(Pod pod, Function<Container, Map<String, Quantity>> amounts) {
        Amounts sum = NONE;
        for (Container container : pod.spec().containers()) {
            sum = sum.plus(of(Resources.of(amounts.apply(container))));
        }
        for (Container container : pod.spec().initContainers()) {
            sum = sum.max(of(Resources.of(amounts.apply(container))));
        }
        return pod.spec().overhead().isEmpty()
                ? sum
                : sum.plus(of(Resources.of(pod.spec().overhead())));
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

    /**
     * Returns by how much the amounts exceed their limits, 0 for those that do not. Only scalars that are named here are
     * compared.
     *
     * @param unnamed the limit of a scalar without one
     */
    Amounts beyond(Amounts limit, long unnamed) {
        Map<String, Long> over = new TreeMap<>();
        scalars.forEach((name, amount) -> {
            long allowed = limit.scalars.getOrDefault(name, unnamed);
            if (amount > allowed) {
                over.put(name, amount - allowed);
            }
        });
        return new Amounts(
                milliCpu > limit.milliCpu ? milliCpu - limit.milliCpu : 0,
                memory > limit.memory ? memory - limit.memory : 0,
                ephemeralStorage > limit.ephemeralStorage ? ephemeralStorage - limit.ephemeralStorage : 0,
                over);
    }

    boolean isNone() {
        return milliCpu == 0 && memory == 0 && ephemeralStorage == 0 && scalars.isEmpty();
    }

    /** Returns the amounts other than 0 as quantities. */
    Map<String, Quantity> quantities() {
        Map<String, Quantity> quantities = new TreeMap<>();
        scalars.forEach((name, amount) -> quantities.put(name, Quantity.of(amount)));
        quantities.put("cpu", Quantity.ofMilli(milliCpu));
        quantities.put("memory", Quantity.of(memory));
        quantities.put("ephemeral-storage", Quantity.of(ephemeralStorage));
        quantities.values().removeIf(Quantity.ZERO::equals);
        return quantities;
    }

    /** Returns the amounts other than 0 as manifests have them: {@code cpu 500m, memory 1Gi}. */
    String inWords() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("cpu", milliCpu % 1000 == 0 ? Long.toString(milliCpu / 1000) : milliCpu + "m");
        words.put("memory", bytes(memory));
        words.put("ephemeral-storage", bytes(ephemeralStorage));
        scalars.forEach((name, amount) -> words.put(name, Long.toString(amount)));
        List<String> texts = new ArrayList<>();
        words.forEach((name, amount) -> {
            if (!amount.equals("0")) {
                texts.add(name + " " + amount);
            }
        });
        return String.join(", ", texts);
    }

    private static String bytes(long amount) {
        long left = amount;
        int unit = 0;
        while (left > 0 && left % 1024 == 0 && unit < UNITS.size() - 1) {
            left /= 1024;
            unit++;
        }
        return left + UNITS.get(unit);
    }

    /** Returns the amounts for people; scalars of 0 are omitted. */
    @Override
    public String toString() {
        Map<String, Long> used = new TreeMap<>(scalars);
        used.values().removeIf(amount -> amount == 0);
        return Resources.of(milliCpu, memory, ephemeralStorage, used).toString();
    }
}
