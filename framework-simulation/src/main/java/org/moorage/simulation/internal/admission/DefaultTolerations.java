// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import org.moorage.objects.tree.Fields;

/**
 * Tolerations that let pods stay on a not-ready or unreachable node for five minutes, as DefaultTolerationSeconds adds.
 */
final class DefaultTolerations {
    private static final int SECONDS = 300;
    private static final String NO_EXECUTE = "NoExecute";

    private DefaultTolerations() {}

    static void add(Fields spec) {
        ArrayNode tolerations = spec.list("tolerations");
        for (String key : List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")) {
            if (!isTolerated(tolerations, key)) {
                tolerations
                        .addObject()
                        .put("key", key)
                        .put("operator", "Exists")
                        .put("effect", NO_EXECUTE)
                        .put("tolerationSeconds", SECONDS);
            }
        }
    }

    private static boolean isTolerated(ArrayNode tolerations, String taint) {
        for (JsonNode toleration : tolerations) {
            String key = toleration.path("key").asText("");
            String effect = toleration.path("effect").asText("");
            if ((key.isEmpty() || key.equals(taint)) && (effect.isEmpty() || effect.equals(NO_EXECUTE))) {
                return true;
            }
        }
        return false;
    }
}
