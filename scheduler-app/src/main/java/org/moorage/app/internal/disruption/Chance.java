// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextTable;
import org.moorage.simulation.whatif.SeedVariation.Range;

/**
 * How much of an answer is chance: the answers with different seeds.
 *
 * @param seeds the number of seeds
 * @param succeeded the number of seeds whose answer is yes
 * @param figures the range of the number of pods by outcome
 */
public record Chance(int seeds, int succeeded, Map<String, Range> figures) {
    /** Prints a sentence. */
    public void print(Terminal terminal) {
        List<String> ranges = new ArrayList<>();
        figures.forEach((name, range) -> {
            if (!range.isConstant()) {
                ranges.add(words(name) + " " + range.min() + " to " + range.max() + " (median " + range.median() + ")");
            }
        });
        TextTable.printWrapped(
                "With " + seeds + " seeds, the answer is yes for " + succeeded
                        + (ranges.isEmpty()
                                ? "; the number of pods by outcome is the same for all."
                                : ": " + String.join(", ", ranges) + " pods."),
                terminal);
    }

    // "blocked by budget" for "blockedByBudget".
    private static String words(String name) {
        return name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }
}
