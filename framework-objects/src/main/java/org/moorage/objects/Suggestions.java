// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The names that a person may have meant instead of an unknown one. */
public final class Suggestions {
    private static final int MOST = 3;

    private Suggestions() {}

    private record Match(String name, int distance) {}

    /**
     * Ends a message with the closest candidates, as in {@code  Did you mean web-1 or web-2?}; empty if none is close.
     */
    public static String hint(String name, Collection<String> candidates) {
        List<String> closest = of(name, candidates);
        return closest.isEmpty() ? "" : " Did you mean " + String.join(" or ", closest) + "?";
    }

    /** Returns the closest candidates, best first: those that differ by few letters, and those that contain it. */
    public static List<String> of(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        // Of short names nearly all are close to each other.
        int most = wanted.length() < 4 ? 0 : Math.max(1, Math.min(3, wanted.length() / 3));
        List<Match> matches = new ArrayList<>();
        for (String candidate : candidates) {
            String other = candidate.toLowerCase(Locale.ROOT);
            boolean part = wanted.length() > 2 && other.contains(wanted);
            int distance = part ? most : EditDistance.between(wanted, other);
            if (distance <= most) {
                matches.add(new Match(candidate, distance));
            }
        }
        matches.sort(Comparator.comparingInt(Match::distance).thenComparing(Match::name));
        List<String> names = new ArrayList<>();
        for (Match match : matches.subList(0, Math.min(MOST, matches.size()))) {
            names.add(match.name);
        }
        return names;
    }
}
