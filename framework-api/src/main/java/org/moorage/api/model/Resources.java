// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Amounts of resources as integers: cpu in thousandths of a core, memory and storage in bytes, all others in units.
 * Immutable.
 *
 * <p>Fractions are rounded up, as kube-scheduler does: {@code 0.1m} of cpu is 1, half a byte of memory is 1.
 */
public final class Resources {
    /** No resources. */
    public static final Resources NONE = new Resources(0, 0, 0, new String[0], new long[0]);

    private final long milliCpu;
    private final long memory;
    private final long ephemeralStorage;
    private final String[] scalarNames;
    private final long[] scalars;

    private Resources(long milliCpu, long memory, long ephemeralStorage, String[] scalarNames, long[] scalars) {
        this.milliCpu = milliCpu;
        this.memory = memory;
        this.ephemeralStorage = ephemeralStorage;
        this.scalarNames = scalarNames;
        this.scalars = scalars;
    }

    /** Returns the amounts of a resource list, without resources that are not accounted for, such as {@code pods}. */
    public static Resources of(Map<String, Quantity> quantities) {
        long milliCpu = 0;
        long memory = 0;
        long ephemeralStorage = 0;
        TreeMap<String, Long> others = new TreeMap<>();
        for (Map.Entry<String, Quantity> entry : quantities.entrySet()) {
            switch (entry.getKey()) {
                case "cpu" -> milliCpu = entry.getValue().milliValue();
                case "memory" -> memory = entry.getValue().value();
                case "ephemeral-storage" -> ephemeralStorage = entry.getValue().value();
                default -> {
                    if (ResourceName.isScalar(entry.getKey())) {
                        others.put(entry.getKey(), entry.getValue().value());
                    }
                }
            }
        }
        return of(milliCpu, memory, ephemeralStorage, others);
    }

    /** Returns amounts given as numbers; {@code scalars} by resource name. */
    public static Resources of(long milliCpu, long memory, long ephemeralStorage, Map<String, Long> scalars) {
        String[] names = new String[scalars.size()];
        long[] amounts = new long[scalars.size()];
        int next = 0;
        for (Map.Entry<String, Long> entry : new TreeMap<>(scalars).entrySet()) {
            names[next] = entry.getKey();
            amounts[next++] = entry.getValue();
        }
        return new Resources(milliCpu, memory, ephemeralStorage, names, amounts);
    }

    /** Returns the amounts without the scalar resources with these names; the same object if none has such a name. */
    Resources without(Predicate<String> names) {
        Map<String, Long> left = new TreeMap<>();
        for (int i = 0; i < scalarNames.length; i++) {
            if (!names.test(scalarNames[i])) {
                left.put(scalarNames[i], scalars[i]);
            }
        }
        return left.size() == scalarNames.length ? this : of(milliCpu, memory, ephemeralStorage, left);
    }

    /** Returns the cpu, in thousandths of a core. */
    public long milliCpu() {
        return milliCpu;
    }

    /** Returns the memory, in bytes. */
    public long memory() {
        return memory;
    }

    /** Returns the local ephemeral storage, in bytes. */
    public long ephemeralStorage() {
        return ephemeralStorage;
    }

    /**
     * Returns the number of scalar resources: those other than cpu, memory and ephemeral storage. They are ordered by
     * name.
     */
    public int scalarCount() {
        return scalarNames.length;
    }

    /** Returns the name of a scalar resource, by its index. */
    public String scalarName(int index) {
        return scalarNames[index];
    }

    /** Returns the amount of a scalar resource, by its index. */
    public long scalarAmount(int index) {
        return scalars[index];
    }

    /** Returns the amount of a resource, 0 if it is absent. */
    public long amount(ResourceName resource) {
        return switch (resource.slot()) {
            case 0 -> milliCpu;
            case 1 -> memory;
            case 2 -> ephemeralStorage;
            default -> {
                int index = Arrays.binarySearch(scalarNames, resource.name());
                yield index < 0 ? 0 : scalars[index];
            }
        };
    }

    /** Returns whether cpu, memory and ephemeral storage are 0 and no other resource is named at all. */
    public boolean isEmpty() {
        return milliCpu == 0 && memory == 0 && ephemeralStorage == 0 && scalarNames.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Resources that
                && milliCpu == that.milliCpu
                && memory == that.memory
                && ephemeralStorage == that.ephemeralStorage
                && Arrays.equals(scalarNames, that.scalarNames)
                && Arrays.equals(scalars, that.scalars);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(milliCpu * 31 + memory) * 31 + Arrays.hashCode(scalarNames) + Arrays.hashCode(scalars);
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("cpu=").append(milliCpu).append("m memory=").append(memory);
        if (ephemeralStorage != 0) {
            text.append(" ephemeral-storage=").append(ephemeralStorage);
        }
        for (int i = 0; i < scalarNames.length; i++) {
            text.append(' ').append(scalarNames[i]).append('=').append(scalars[i]);
        }
        return text.toString();
    }
}
