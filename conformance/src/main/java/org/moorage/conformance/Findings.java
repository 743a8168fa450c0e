// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.List;
import org.moorage.conformance.Finding.Judgement;

/** Collects the findings about one recorded answer. */
final class Findings {
    private final List<Finding> all = new ArrayList<>();

    /** Compares two texts. */
    void compare(String what, String expected, String got) {
        judge(what, expected, got, expected.equals(got));
    }

    /** Notes a comparison that was made elsewhere. */
    void judge(String what, String expected, String got, boolean same) {
        all.add(new Finding(what, expected, got, same ? Judgement.SAME : Judgement.DIFFERENT, ""));
    }

    /** Notes what only a missing plugin could say. */
    void open(String what, String plugin, String expected, String got) {
        all.add(new Finding(what, expected, got, Judgement.OPEN, plugin));
    }

    boolean hasOpen() {
        for (Finding finding : all) {
            if (finding.judgement() == Judgement.OPEN) {
                return true;
            }
        }
        return false;
    }

    List<Finding> all() {
        return List.copyOf(all);
    }
}
