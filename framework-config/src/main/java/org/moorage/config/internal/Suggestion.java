// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import org.moorage.api.plugin.Problems;
import org.moorage.objects.EditDistance;

/** The name that a person may have meant instead of an unknown one. */
public final class Suggestion {
    private Suggestion() {}

    /** Reports an unknown field. */
    public static void unknownField(Collection<String> known, String field, Problems problems) {
        problems.report(closest(field, known)
                .map(name -> "unknown field. " + question(name))
                .orElseGet(() -> known.isEmpty()
                        ? "unknown field (expected: no fields)"
                        : "unknown field (expected: one of " + String.join(", ", known) + ")"));
    }

    /** Returns the sentence that suggests a name. */
    public static String question(String name) {
        return "Did you mean " + name + "?";
    }

    /** Returns the candidate that differs by few letters only, or empty. */
    public static Optional<String> closest(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        String closest = "";
        int least = Math.max(1, Math.min(3, wanted.length() / 4)) + 1;
        for (String candidate : candidates) {
            int distance = EditDistance.between(wanted, candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                closest = candidate;
            }
        }
        return closest.isEmpty() ? Optional.empty() : Optional.of(closest);
    }
}
