// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What goes wrong in a simulation, and how often. Each seed has its own mixture, so that faults also come alone. */
final class Faults {
    private final RandomGenerator random;
    private final Map<Kind, Double> chances = new EnumMap<>(Kind.class);
    private boolean isOver;

    /** What goes wrong. */
    enum Kind {
        /** A request is refused before it is applied. */
        REFUSED_REQUEST,
        /** A request is applied, and its answer is lost. */
        LOST_ANSWER,
        /** A request takes a while, before and after it is applied. */
        SLOW_REQUEST,
        /** A watch ends after an event. */
        CUT_WATCH,
        /** A watch that ended cannot go on where it was: its kind is listed again. */
        LOST_VERSION,
        /** A watch tells its last event again. */
        REPEATED_EVENT,
        /** Whoever handles an event throws an error of the virtual machine. */
        FAILED_HANDLER,
        /** A plugin throws an error of the virtual machine in a scheduling cycle, after the pod was assumed. */
        FAILED_CYCLE,
        /** A plugin throws. */
        FAILED_PLUGIN,
        /** A volume cannot be provisioned, a device does not become ready. */
        FAILED_DEVICE,
        /** A plugin throws or rejects a pod of a group, or answers what it may not. */
        FAILED_MEMBER,
        /** A plugin throws where it is asked about a whole group, or answers what it may not. */
        FAILED_GROUP,
        /** The scheduler is killed soon after a pod of a group was bound, and started again. */
        KILLED_SCHEDULER
    }

    private static final Set<Kind> OF_GROUPS = EnumSet.of(Kind.FAILED_MEMBER, Kind.FAILED_GROUP, Kind.KILLED_SCHEDULER);

    /**
     * A mixture.
     *
     * @param hasGroups whether there are groups with which things can go wrong
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

    /** Whether it goes wrong this time. */
    boolean happens(Kind kind) {
        return !isOver && random.nextDouble() < chances.getOrDefault(kind, 0.0);
    }

    /** From now on nothing goes wrong. */
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
