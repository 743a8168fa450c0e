// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.moorage.simulation.Defaulting;

/** Checks the defaults of the fields that an object leaves out. */
final class DefaultsCheck implements VectorCheck {
    private static final int SHOWN = 120;

    @Override
    public List<Finding> check(ObjectNode vector) {
        Findings findings = new Findings();
        if (!(vector.path("in") instanceof ObjectNode object)) {
            findings.judge("in", "an object", vector.path("in").toString(), false);
            return findings.all();
        }
        Defaulting.apply(object);
        List<Finding> differences = DefaultsComparison.differences(object, vector.path("out"));
        if (!differences.isEmpty()) {
            return differences;
        }
        String out = TreeText.cut(vector.path("out").toString(), SHOWN);
        findings.judge("defaults", out, TreeText.cut(object.toString(), SHOWN), true);
        return findings.all();
    }
}
