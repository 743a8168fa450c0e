// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.DeviceCounts.Count;

/**
 * What a pod asks for of the resources that are scored, and how many devices nodes have in their place. Complete before the
 * first node is scored; then it only reads, and allocates nothing.
 */
final class ScoredRequest {
    private static final long[] NONE = {};

    private final ResourceName[] resources;
    private final long[] amounts;
    // By resource, and by the place of a node; nothing for a resource that devices do not stand in for.
    private final long[][] devices;
    private final long[][] taken;

    ScoredRequest(ResourceName[] resources, long[] amounts) {
        this.resources = resources;
        this.amounts = amounts;
        devices = new long[amounts.length][];
        taken = new long[amounts.length][];
        for (int i = 0; i < amounts.length; i++) {
            devices[i] = NONE;
            taken[i] = NONE;
        }
    }

    /** Has devices stand in for a resource. */
    void byDevices(int resource, List<NodeInfo> nodes, List<Count> counts) {
        int places = 0;
        for (NodeInfo node : nodes) {
            places = Math.max(places, node.index() + 1);
        }
        devices[resource] = new long[places];
        taken[resource] = new long[places];
        for (int i = 0; i < nodes.size(); i++) {
            int place = nodes.get(i).index();
            devices[resource][place] = counts.get(i).devices();
            taken[resource][place] = counts.get(i).taken();
        }
    }

    boolean isEmpty() {
        for (long amount : amounts) {
            if (amount != 0) {
                return false;
            }
        }
        return true;
    }

    /** What is asked for of a resource. */
    long amount(int resource) {
        return amounts[resource];
    }

    /** What a node has of a resource: of its own, or else in devices. */
    long capacity(NodeInfo node, int resource) {
        long own = node.allocatable(resources[resource]);
        return own == 0 && devices[resource].length != 0 ? devices[resource][node.index()] : own;
    }

    /** Whether it is by its devices that a node has any of a resource. */
    boolean isByDevices(NodeInfo node, int resource) {
        return devices[resource].length != 0 && node.allocatable(resources[resource]) == 0;
    }

    /** How many of the devices in a resource's place are taken. */
    long taken(NodeInfo node, int resource) {
        return taken[resource][node.index()];
    }
}
