// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.moorage.simulation.internal.admission.Defaulting;

/** Checks the defaults of unset fields of an object. */
final class DefaultsCheck implements VectorCheck {
    private static final int SHOWN = 120;

    @Override
    public List<Comparison> check(ObjectNode vector) {
        Comparisons comparisons = new Comparisons();
        if (!(vector.path("in") instanceof ObjectNode object)) {
            comparisons.add("in", "an object", vector.path("in").toString(), false);
            return comparisons.all();
        }
        Defaulting.apply(object);
        List<Comparison> differences = DefaultsComparison.differences(object, vector.path("out"));
        if (!differences.isEmpty()) {
            return differences;
        }
        String out = JsonText.cut(vector.path("out").toString(), SHOWN);
        comparisons.add("defaults", out, JsonText.cut(object.toString(), SHOWN), true);
        return comparisons.all();
    }
}
