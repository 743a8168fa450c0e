// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.Quantity;
import org.moorage.sigs.NumaRequests.Request;
import org.moorage.sigs.NumaRequests.Resource;

/** Decides whether the topology manager of a node with the policy single-numa-node can align a pod. */
final class NumaFit {
    private static final Status POD = Status.unschedulable("cannot align pod");
    private static final Status CONTAINER = Status.unschedulable("cannot align container");
    private static final Status INIT_CONTAINER = Status.unschedulable("cannot align init container");
    private static final Status SIDECAR = Status.unschedulable("cannot align sidecar container");

    private static final int NO_CELL = -1;
    private static final long ALL_CELLS = -1L;

    private NumaFit() {}

    /** Returns success, or why the node cannot align the pod. */
    static Status check(NumaRequests pod, NodeTopology topology, Node node) {
        return topology.config().scope() == NodeTopology.Scope.POD
                ? ofPod(pod, topology, node)
                : ofContainers(pod, topology, node);
    }

    private static Status ofPod(NumaRequests pod, NodeTopology topology, Node node) {
        return cellFor(pod.ofPod(), pod.isGuaranteed(), topology, topology.amounts(), node) == NO_CELL
                ? POD
                : Status.success();
    }

    private static Status ofContainers(NumaRequests pod, NodeTopology topology, Node node) {
        boolean isGuaranteed = pod.isGuaranteed();
        List<Request> initContainers = pod.initContainers();
        for (int i = 0; i < initContainers.size(); i++) {
            Request request = initContainers.get(i);
            if (cellFor(request, isGuaranteed, topology, topology.amounts(), node) == NO_CELL) {
                return request.isSidecar() ? SIDECAR : INIT_CONTAINER;
            }
        }
        @Nullable Quantity[][] left = topology.amounts();
        List<Request> containers = pod.containers();
        for (int i = 0; i < containers.size(); i++) {
            Request request = containers.get(i);
            int number = cellFor(request, isGuaranteed, topology, left, node);
            if (number == NO_CELL) {
                return CONTAINER;
            }
            if (i == containers.size() - 1 && !topology.hasRepeatedCells()) {
                // No further container needs what is left.
                return Status.success();
            }
            if (i == 0) {
                left = topology.copyOfAmounts();
            }
            Status accounted = take(request, isGuaranteed, number, topology, left);
            if (!accounted.isSuccess()) {
                return accounted;
            }
        }
        return Status.success();
    }

    /**
     * Returns the lowest number of the cells that have all requested resources, 0 if nothing depends on the cell, or
     * {@link #NO_CELL}.
     *
     * @param left the available amounts, by resource and cell
     */
    private static int cellFor(
            Request request, boolean isGuaranteed, NodeTopology topology, @Nullable Quantity[][] left, Node node) {
        long cells = ALL_CELLS;
        List<Resource> resources = request.resources();
        for (int i = 0; i < resources.size(); i++) {
            Resource resource = resources.get(i);
            if (resource.isZero()) {
                continue;
            }
            if (!resource.isAlwaysListed() && !node.allocatable().containsKey(resource.name())) {
                return NO_CELL;
            }
            int index = topology.resource(resource.name());
            if (index == NodeTopology.NONE && resource.isOfHost()) {
                continue;
            }
            cells &= index == NodeTopology.NONE ? 0 : cellsWith(resource, isGuaranteed, index, topology, left);
            if (cells == 0) {
                return NO_CELL;
            }
        }
        return Long.numberOfTrailingZeros(cells);
    }

    private static long cellsWith(
            Resource resource, boolean isGuaranteed, int index, NodeTopology topology, @Nullable Quantity[][] left) {
        boolean isAnyAmount = !isGuaranteed && resource.isShared();
        long cells = 0;
        for (int cell = 0; cell < topology.cells(); cell++) {
            Quantity available = left[index][cell];
            if (available != null && (isAnyAmount || available.compareTo(resource.amount()) >= 0)) {
                cells |= 1L << topology.number(cell);
            }
        }
        return cells;
    }

    private static Status take(
            Request request, boolean isGuaranteed, int number, NodeTopology topology, @Nullable Quantity[][] left) {
        for (int cell = 0; cell < topology.cells(); cell++) {
            if (topology.number(cell) != number) {
                continue;
            }
            for (Resource resource : request.resources()) {
                int index = topology.resource(resource.name());
                Quantity before = index == NodeTopology.NONE ? null : left[index][cell];
                if (before == null || resource.isZero() || !isGuaranteed && resource.isShared()) {
                    continue;
                }
                if (before.compareTo(resource.amount()) < 0) {
                    return inconsistent(resource, number, before);
                }
                left[index][cell] = before.minus(resource.amount());
            }
        }
        return Status.success();
    }

    // Only if the object lists a cell twice, with different amounts.
    private static Status inconsistent(Resource resource, int number, Quantity available) {
        return Status.of(
                Code.ERROR,
                List.of(
                        "inconsistent resource accounting",
                        "resource \"" + resource.name() + "\" request " + resource.amount() + " exceeds NUMA " + number
                                + " availability " + available));
    }
}
