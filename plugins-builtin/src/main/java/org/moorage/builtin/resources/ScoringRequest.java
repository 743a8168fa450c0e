// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.builtin.DeviceCounts.Count;

/**
 * A pod's requests for the scored resources, with the device counts of resources that are delegated to DRA. Complete
 * before the first node is scored; afterwards it is only read, which allocates nothing.
 */
final class ScoringRequest {
    private static final long[] NONE = {};

    private final ResourceName[] resources;
    private final long[] requests;
    // By resource and node index; empty for a resource that is not delegated to DRA.
    private final long[][] devices;
    private final long[][] allocatedDevices;

    ScoringRequest(ResourceName[] resources, long[] requests) {
        this.resources = resources;
        this.requests = requests;
        devices = new long[requests.length][];
        allocatedDevices = new long[requests.length][];
        for (int i = 0; i < requests.length; i++) {
            devices[i] = NONE;
            allocatedDevices[i] = NONE;
        }
    }

    /** Sets the device counts of a resource, one for each node. */
    void delegateToDra(int resource, List<NodeInfo> nodes, List<Count> counts) {
        int size = 0;
        for (NodeInfo node : nodes) {
            size = Math.max(size, node.index() + 1);
        }
        devices[resource] = new long[size];
        allocatedDevices[resource] = new long[size];
        for (int i = 0; i < nodes.size(); i++) {
            int index = nodes.get(i).index();
            devices[resource][index] = counts.get(i).devices();
            allocatedDevices[resource][index] = counts.get(i).allocated();
        }
    }

    /** Returns whether the pod requests none of the resources. */
    boolean isEmpty() {
        for (long request : requests) {
            if (request != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns how much of a resource the pod requests. */
    long request(int resource) {
        return requests[resource];
    }

    /** Returns how much of a resource a node has: its allocatable amount, or the number of devices if that is 0. */
    long capacity(NodeInfo node, int resource) {
        long allocatable = node.allocatable(resources[resource]);
        return allocatable == 0 && devices[resource].length != 0 ? devices[resource][node.index()] : allocatable;
    }

    /** Returns whether a resource is delegated to DRA on a node, which has devices instead of an allocatable amount. */
    boolean isDelegatedToDra(NodeInfo node, int resource) {
        return devices[resource].length != 0 && node.allocatable(resources[resource]) == 0;
    }

    /** Returns the number of allocated devices of a resource on a node. */
    long allocatedDevices(NodeInfo node, int resource) {
        return allocatedDevices[resource][node.index()];
    }
}
