// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** What a fault's test tells of itself: a parameter of the test. */
final class FaultReport {
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

    /** Notes that stock kube-scheduler is looked at: what it breaks is told and is no failure. */
    void compare() {
        isComparison = true;
    }

    /** Tells something that was seen, in a few words. */
    void saw(String what) {
        seen.add(what);
    }

    /** Tells how long something took, and fails if that was too long. */
    void took(String what, Duration time, Duration limit) {
        seen.add(what + " after " + seconds(time));
        if (time.compareTo(limit) > 0) {
            broken(what + " after " + seconds(time) + " instead of " + seconds(limit));
        }
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }

    /** Tells of something that must not be. */
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
