// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.simulation.internal.admission.Admission;

/** Checks the stored form of a created pod or claim, or the error that rejects it. */
final class AdmissionCheck implements VectorCheck {
    private static final int SHOWN = 120;
    /** A generated name ends in five random letters, which are recorded as an asterisk. */
    private static final String GENERATED_NAME = "\"(\\S+-)[a-z0-9]{5}\"";

    @Override
    public List<Comparison> check(ObjectNode vector) {
        Admission admission = new Admission(Conformance.features(vector));
        for (JsonNode object : vector.path("objects")) {
            admission.seen((ObjectNode) object);
        }
        ObjectNode object = (ObjectNode) vector.path("create");
        JsonNode expect = vector.path("expect");
        boolean isNamed = !ObjectKey.of(object).name().isEmpty();
        Comparisons comparisons = new Comparisons();
        try {
            admission.admit(object);
        } catch (ObjectRefusedException e) {
            String refusal = Objects.requireNonNullElse(e.getMessage(), "");
            comparisons.compare(
                    "refusal",
                    inOrder(expect.path("refused").asText("none")),
                    inOrder(refusal.replaceAll(GENERATED_NAME, "\"$1*\"")));
            return comparisons.all();
        }
        if (expect.has("refused")) {
            comparisons.compare("refusal", expect.path("refused").asText(), "none");
            return comparisons.all();
        }
        object.remove("status");
        ObjectNode metadata = (ObjectNode) object.path("metadata");
        metadata.remove(List.of("uid", "annotations"));
        if (!isNamed) {
            metadata.remove("name");
        }
        List<Comparison> differences = DefaultsComparison.differences(object, expect.path("stored"));
        if (!differences.isEmpty()) {
            return differences;
        }
        comparisons.add(
                "stored",
                JsonText.cut(expect.path("stored").toString(), SHOWN),
                JsonText.cut(object.toString(), SHOWN),
                true);
        return comparisons.all();
    }

    // The API server lists several reasons in any order.
    private static String inOrder(String refusal) {
        int start = refusal.indexOf(": [");
        if (start < 0 || !refusal.endsWith("]")) {
            return refusal;
        }
        String reasons = refusal.substring(start + 3, refusal.length() - 1);
        return refusal.substring(0, start) + ": "
                + new TreeSet<>(List.of(reasons.split(", (?=maximum|minimum|spec\\.)")));
    }
}
