// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import org.moorage.objects.tree.Fields;

/** The rounding of amounts in resource lists up to thousandths, the precision of the API server. */
final class ResourceListDefaults {
    private static final int MILLI_SCALE = 3;

    private ResourceListDefaults() {}

    /** Rounds the limits and requests of a container, pod or claim. */
    static void roundUpRequirements(Fields requirements) {
        roundUp(requirements, "limits");
        roundUp(requirements, "requests");
    }

    /** Rounds the amounts of the resource list in a field. */
    static void roundUp(Fields parent, String resourceList) {
        parent.pointer(resourceList).ifPresent(list -> {
            for (Map.Entry<String, JsonNode> entry : list.node().properties()) {
                BigDecimal amount = new BigDecimal(list.quantity(entry.getKey()).toString());
                if (amount.scale() > MILLI_SCALE) {
                    String rounded =
                            amount.setScale(MILLI_SCALE, RoundingMode.UP).toPlainString();
                    entry.setValue(JsonNodeFactory.instance.textNode(rounded));
                }
            }
        });
    }
}
