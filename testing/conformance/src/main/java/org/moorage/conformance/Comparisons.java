// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.moorage.conformance.Comparison.Match;

/** Collects the comparisons of one case. */
final class Comparisons {
    private final List<Comparison> all = new ArrayList<>();
    private final UnaryOperator<String> asRecorded;

    Comparisons() {
        this(UnaryOperator.identity());
    }

    /** Creates comparisons that first convert Moorage's texts to the recorded form. */
    Comparisons(UnaryOperator<String> asRecorded) {
        this.asRecorded = asRecorded;
    }

    /** Adds two texts, which match if they are equal. */
    void compare(String what, String expected, String got) {
        String ours = asRecorded.apply(got);
        add(what, expected, ours, JsonText.comparable(expected).equals(JsonText.comparable(ours)));
    }

    /** Adds two values and the result of their comparison. */
    void add(String what, String expected, String got, boolean same) {
        all.add(new Comparison(what, expected, got, same ? Match.SAME : Match.DIFFERENT, ""));
    }

    /** Adds a value that depends on a missing plugin. */
    void open(String what, String plugin, String expected, String got) {
        all.add(new Comparison(what, expected, got, Match.OPEN, plugin));
    }

    /** Adds a result for which the recorded scheduler has only a failure. */
    void noAnswer(String what, String failure, String got) {
        all.add(new Comparison(what, failure, got, Match.NO_ANSWER, ""));
    }

    List<Comparison> all() {
        return List.copyOf(all);
    }
}
