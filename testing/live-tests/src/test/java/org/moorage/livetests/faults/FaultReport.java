// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.moorage.livetests.scene.Waiting;

/** The report of a fault's test, which is a parameter of the test. */
final class FaultReport {
    /** Set by the profile that runs all faults, and no other test next to them. */
    private static final boolean JUDGES_TIMES = Boolean.getBoolean("faults.times");

    private final long seed;
    private final List<String> seen = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private boolean isComparison;

    FaultReport(long seed) {
        this.seed = seed;
    }

    /** The chance of this run; {@code -Dseed=} repeats one. */
    Random random() {
        return new Random(seed);
    }

    /** Notes that this is a run of stock kube-scheduler, whose violations are reported and are no failure. */
    void compare() {
        isComparison = true;
    }

    /** Reports an observation, in a few words. */
    void saw(String what) {
        seen.add(what);
    }

    /**
     * Reports how long something took; where faults have the machine to themselves, a longer time than the limit is a
     * violation.
     */
    void took(String what, Duration time, Duration limit) {
        seen.add(what + " after " + seconds(time));
        Duration judged = JUDGES_TIMES ? limit : Waiting.LIMIT;
        if (time.compareTo(judged) > 0) {
            broken(what + " after " + seconds(time) + " instead of " + seconds(judged));
        }
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }

    /** Reports a violation. */
    void broken(String what) {
        violations.add(what);
    }

    /** {@link #broken} unless something holds. */
    void holds(boolean holds, String otherwise) {
        if (!holds) {
            broken(otherwise);
        }
    }

    /** Fails if something must not be, and this is not a comparison. */
    void end() {
        if (!isComparison) {
            assertThat(violations).as("what must not be, after: %s", seen).isEmpty();
        }
    }

    boolean isComparison() {
        return isComparison;
    }

    List<String> seen() {
        return List.copyOf(seen);
    }

    List<String> violations() {
        return List.copyOf(violations);
    }
}
