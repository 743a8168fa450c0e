// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * The room that pods leave on a node, by requests alone. Immutable.
 *
 * @param free the free amount of cpu, memory and the other resources of the node, not less than 0
 * @param freePods how many more pods the node may have
 */
record NodeRoom(Map<ResourceName, Long> free, long freePods) {
    /** Returns the room that these pods leave on a node. */
    static NodeRoom of(Node node, Collection<Pod> pods) {
        Map<ResourceName, Long> free = new HashMap<>();
        Resources allocatable = node.allocatableResources();
        free.put(ResourceName.CPU, allocatable.milliCpu());
        free.put(ResourceName.MEMORY, allocatable.memory());
        for (int i = 0; i < allocatable.scalarCount(); i++) {
            free.put(ResourceName.of(allocatable.scalarName(i)), allocatable.scalarAmount(i));
        }
        free.replaceAll((resource, amount) -> {
            long left = amount;
            for (Pod pod : pods) {
                left -= pod.requestsWithClaims().amount(resource);
            }
            return Math.max(0, left);
        });
        return new NodeRoom(free, node.allowedPods() - pods.size());
    }

    /** Returns how much of a resource a pod requests that is not free. */
    long missing(Pod pod, ResourceName resource) {
        return Math.max(0, pod.requestsWithClaims().amount(resource) - free.getOrDefault(resource, 0L));
    }

    /** Returns whether a pod fits. */
    boolean fits(Pod pod) {
        Resources requests = pod.requestsWithClaims();
        if (freePods < 1 || missing(pod, ResourceName.CPU) > 0 || missing(pod, ResourceName.MEMORY) > 0) {
            return false;
        }
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (missing(pod, ResourceName.of(requests.scalarName(i))) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the sum of what pods request fits. */
    boolean fits(Collection<Pod> pods) {
        Map<ResourceName, Long> left = new HashMap<>(free);
        for (Pod pod : pods) {
            if (!new NodeRoom(left, freePods).fits(pod)) {
                return false;
            }
            left.replaceAll(
                    (resource, amount) -> amount - pod.requestsWithClaims().amount(resource));
        }
        return freePods >= pods.size();
    }

    /**
     * Returns how much of what a pod misses another one would leave, as a sum of shares from 0 to 1 of each resource.
     */
    double relief(Pod pod, Pod other) {
        double relief = 0;
        for (ResourceName resource : free.keySet()) {
            long missing = missing(pod, resource);
            if (missing > 0) {
                relief += Math.min(1, (double) other.requestsWithClaims().amount(resource) / missing);
            }
        }
        return relief;
    }

    /** Returns the share of a node that pods request, of the resource of which this is the most. */
    static double share(Collection<Pod> pods, Node node) {
        double most = 0;
        for (Map.Entry<ResourceName, Long> allocatable :
                of(node, List.of()).free.entrySet()) {
            double requested = 0;
            for (Pod pod : pods) {
                requested += pod.requestsWithClaims().amount(allocatable.getKey());
            }
            most = allocatable.getValue() == 0 ? most : Math.max(most, requested / allocatable.getValue());
        }
        return most;
    }

    /** Orders pods of a node by their shares of it, the largest first. */
    static Comparator<Pod> largestFirst(Node node) {
        return Comparator.comparingDouble((Pod pod) -> -share(List.of(pod), node))
                .thenComparing(Pod::key);
    }

    /** Returns the free amount of a resource. */
    long of(ResourceName resource) {
        return free.getOrDefault(resource, 0L);
    }

    /** Returns the free amount of a resource that is of no use, see {@link PodSizes#unusable}. */
    double unusable(ResourceName resource, PodSizes sizes) {
        long room = of(resource);
        return room == 0 ? 0 : room * sizes.unusable(resource, free, freePods);
    }
}
