// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The faults of a simulation and their probabilities. Each seed has a different mix, so that faults also occur alone.
 */
final class Faults {
    private final RandomGenerator random;
    private final Map<Kind, Double> chances = new EnumMap<>(Kind.class);
    private boolean isOver;

    /** The kinds of faults. */
    enum Kind {
        /** A request is rejected before it is applied. */
        REFUSED_REQUEST,
        /** A request is applied, but its response is lost. */
        LOST_ANSWER,
        /** A request is delayed before and after it is applied. */
        SLOW_REQUEST,
        /** A watch ends after an event. */
        CUT_WATCH,
        /** A watch that ended cannot be resumed: its kind is listed again. */
        LOST_VERSION,
        /** A watch repeats its last event. */
        REPEATED_EVENT,
        /** An event handler throws a VirtualMachineError. */
        FAILED_HANDLER,
        /** A plugin throws a VirtualMachineError in a scheduling cycle, after the pod was assumed. */
        FAILED_CYCLE,
        /** A plugin throws. */
        FAILED_PLUGIN,
        /** A volume cannot be provisioned, or a device does not become ready. */
        FAILED_DEVICE,
        /** A plugin throws or rejects for a pod of a group, or returns an invalid result. */
        FAILED_MEMBER,
        /** A plugin throws in a method for whole groups, or returns an invalid result. */
        FAILED_GROUP,
        /** The scheduler is killed soon after a pod of a group was bound, and restarted. */
        KILLED_SCHEDULER
    }

    private static final Set<Kind> OF_GROUPS = EnumSet.of(Kind.FAILED_MEMBER, Kind.FAILED_GROUP, Kind.KILLED_SCHEDULER);

    /**
     * Creates a random mix of faults.
     *
     * @param hasGroups whether to include the faults that need groups
     */
    Faults(RandomGenerator random, boolean hasGroups) {
        this.random = random;
        for (Kind kind : Kind.values()) {
            if (hasGroups || !OF_GROUPS.contains(kind)) {
                chances.put(kind, chance(kind));
            }
        }
    }

    private double chance(Kind kind) {
        boolean isRare = kind == Kind.FAILED_CYCLE
                || kind == Kind.FAILED_PLUGIN
                || kind == Kind.FAILED_HANDLER
                || kind == Kind.FAILED_MEMBER;
        int choice = random.nextInt(6);
        if (choice < 2) {
            return 0;
        }
        double most = kind == Kind.LOST_VERSION || kind == Kind.SLOW_REQUEST ? 0.8 : isRare ? 0.03 : 0.2;
        return choice == 5 ? most : random.nextDouble(most / 3);
    }

    /** Returns whether the fault occurs this time. */
    boolean happens(Kind kind) {
        return !isOver && random.nextDouble() < chances.getOrDefault(kind, 0.0);
    }

    /** Ends all faults. */
    void end() {
        isOver = true;
    }

    boolean areOver() {
        return isOver;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("faults:");
        chances.forEach((kind, chance) -> {
            if (chance > 0) {
                text.append(String.format(Locale.ROOT, " %s=%.3f", kind, chance));
            }
        });
        return text.toString();
    }
}
