// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.simulation.Defaulting;

/** Checks what is filled in where an object says nothing. */
final class DefaultsCheck implements VectorCheck {
    private static final int SHOWN = 120;
    private static final Pattern DIFFERENCE = Pattern.compile("(.*?): (.*) \\(expected: (.*)\\)");

    @Override
    public List<Finding> check(ObjectNode vector) {
        Findings findings = new Findings();
        if (!(vector.path("in") instanceof ObjectNode object)) {
            findings.judge("in", "an object", vector.path("in").toString(), false);
            return findings.all();
        }
        Defaulting.apply(object);
        List<String> differences = DefaultsComparison.differences(object, vector.path("out"));
        for (String difference : differences) {
            Matcher parts = DIFFERENCE.matcher(difference);
            if (parts.matches()) {
                findings.judge(parts.group(1), parts.group(3), parts.group(2), false);
            } else {
                findings.judge("defaults", "as the API server has them", difference, false);
            }
        }
        if (differences.isEmpty()) {
            String out = TreeText.cut(vector.path("out").toString(), SHOWN);
            findings.judge("defaults", out, TreeText.cut(object.toString(), SHOWN), true);
        }
        return findings.all();
    }
}
