// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Names that a person may have meant. */
public final class NearMatches {
    private static final int MOST = 3;

    private NearMatches() {}

    private record Match(String name, int distance) {}

    /** Ends a message with the closest candidates, as in {@code  Maybe web-1 or web-2.}; empty if none is close. */
    public static String hint(String name, Collection<String> candidates) {
        List<String> closest = of(name, candidates);
        return closest.isEmpty() ? "" : " Maybe " + String.join(" or ", closest) + ".";
    }

    /** The closest candidates, best first: those that differ by few letters, or of which it is a part. */
    static List<String> of(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        // Of short names nearly all are close to each other.
        int most = wanted.length() < 4 ? 0 : Math.max(1, Math.min(3, wanted.length() / 3));
        List<Match> matches = new ArrayList<>();
        for (String candidate : candidates) {
            String other = candidate.toLowerCase(Locale.ROOT);
            boolean part = wanted.length() > 2 && other.contains(wanted);
            int distance = part ? most : distance(wanted, other);
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

    // How many letters to insert, leave out or replace.
    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[above.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[to.length()];
    }
}
