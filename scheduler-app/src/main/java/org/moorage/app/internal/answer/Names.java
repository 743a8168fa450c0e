// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.List;
import org.moorage.app.internal.report.Terminal;

/** Names in a sentence or a cell. */
public final class Names {
    private static final int SHOWN = 6;

    private Names() {}

    /** Returns the first names, and the number of others. */
    public static String first(List<String> names) {
        return names.size() <= SHOWN
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, SHOWN - 1)) + " and " + (names.size() - SHOWN + 1) + " more";
    }

    /** Returns the first names, and the number of others; on a wide terminal, all. */
    public static String on(Terminal terminal, List<String> names) {
        return terminal.isWide() ? String.join(", ", names) : first(names);
    }

    /** Returns a number of things, such as {@code 1 pod} and {@code 2 pods}. */
    public static String counted(int count, String one) {
        return count + " " + one + (count == 1 ? "" : "s");
    }
}
