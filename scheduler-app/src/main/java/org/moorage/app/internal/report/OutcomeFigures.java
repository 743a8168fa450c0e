// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.ClusterBalance.ResourceBalance;
import org.moorage.simulation.whatif.SchedulingOutcome;

/**
 * What a scheduler makes of a cluster, in figures. Immutable.
 *
 * @param unplaced how many pods have no node
 * @param leaving how many that were on a node are on another one, or on none
 * @param balance how the nodes are filled
 */
public record OutcomeFigures(int unplaced, int leaving, ClusterBalance balance) {
    /** What the figures of balance mean. */
    static final String EXPLAINED =
            "Imbalance: the standard deviation of the nodes' requested shares, in percentage points. Unusable: how much of the"
                    + " free room the next pod cannot use, if it requests what one of the cluster's pods does.";

    /** Those of an outcome. */
    public static OutcomeFigures of(SchedulingOutcome outcome) {
        return new OutcomeFigures(outcome.pods().unplaced().size(), outcome.leaving(), outcome.balance());
    }

    /** How a resource is used; not at all if no node has it. */
    static ResourceBalance of(ClusterBalance balance, ResourceName resource) {
        return balance.byResource().getOrDefault(resource, new ResourceBalance(0, 0, 0, 0));
    }

    /** How many pods have no node, for people. */
    Cell unplacedCell() {
        return new Cell(Integer.toString(unplaced), unplaced == 0 ? TextStyle.GOOD : TextStyle.BAD);
    }

    /** A figure for people. */
    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** The figures for programs. */
    void put(ObjectNode entry) {
        entry.put("unplaced", unplaced).put("leftTheirNode", leaving);
        put(entry, balance);
    }

    /** How nodes are filled, for programs. */
    static void put(ObjectNode entry, ClusterBalance balance) {
        entry.put("podsOnNodes", balance.pods()).put("emptyNodes", balance.emptyNodes());
        ObjectNode resources = entry.putObject("resources");
        balance.byResource()
                .forEach((resource, of) -> resources
                        .putObject(AmountFormat.key(resource))
                        .put("requested", of.requested())
                        .put("allocatable", of.allocatable())
                        .put("imbalance", of.imbalance())
                        .put("fragmentation", of.fragmentation()));
    }
}
