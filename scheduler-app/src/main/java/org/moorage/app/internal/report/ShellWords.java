// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes words as a line for a POSIX shell. */
public final class ShellWords {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private ShellWords() {}

    /**
     * Returns a line that a shell splits into these words: words with other characters than those of names and paths
     * are quoted.
     */
    public static String line(List<String> words) {
        return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
