// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.List;
import org.moorage.api.model.Node;

/** The zone and instance type of a node, from its well-known labels or from their deprecated predecessors. */
public final class NodeLabels {
    private static final List<String> ZONE =
            List.of("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
    private static final List<String> INSTANCE_TYPE =
            List.of("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type");

    private NodeLabels() {}

    /** Returns the zone; empty if no label has it. */
    public static String zone(Node node) {
        return first(node, ZONE);
    }

    /** Returns the instance type; empty if no label has it. */
    public static String instanceType(Node node) {
        return first(node, INSTANCE_TYPE);
    }

    private static String first(Node node, List<String> keys) {
        for (String key : keys) {
            String value = node.labels().getOrDefault(key, "");
            if (!value.isEmpty()) {
                return value;
            }
        }
        return "";
    }
}
