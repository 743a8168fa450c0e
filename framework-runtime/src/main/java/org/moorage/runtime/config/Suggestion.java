// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import org.moorage.api.plugin.Problems;

/** Finds what a person may have meant. */
final class Suggestion {
    private Suggestion() {}

    /** Reports a field that there is not. */
    static void unknownField(Collection<String> known, String field, Problems problems) {
        problems.report(closest(field, known)
                .map(name -> "unknown field. Maybe " + name + ".")
                .orElseGet(() -> known.isEmpty()
                        ? "unknown field (expected: no fields)"
                        : "unknown field (expected: one of " + String.join(", ", known) + ")"));
    }

    /** The name that differs by few letters only, or empty. */
    static Optional<String> closest(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        String closest = "";
        int least = Math.max(1, Math.min(3, wanted.length() / 4)) + 1;
        for (String candidate : candidates) {
            int distance = distance(wanted, candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                closest = candidate;
            }
        }
        return closest.isEmpty() ? Optional.empty() : Optional.of(closest);
    }

    // How many letters to insert, leave out, replace or swap with the next one.
    private static int distance(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int replaced = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(cost[i - 1][j - 1] + replaced, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[from.length()][to.length()];
    }
}
