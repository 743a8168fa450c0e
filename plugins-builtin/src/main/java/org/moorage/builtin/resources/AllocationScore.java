// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import java.util.Map;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceName;
import org.moorage.builtin.resources.NodeResourcesFit.ScoringStrategy;

/** Scores a node by how much of its resources would be used with the pod on it, in one of three ways. */
final class AllocationScore {
    private final Way way;
    private final ResourceName[] resources;
    private final long[] weights;
    private final boolean[] nonZero;
    private final boolean[] scalar;
    private final Ratings ratings;

    private enum Way {
        LEAST_ALLOCATED,
        MOST_ALLOCATED,
        SHAPE
    }

    AllocationScore(ScoringStrategy strategy) {
        way = switch (strategy.type()) {
            case ScoringStrategy.LEAST_ALLOCATED -> Way.LEAST_ALLOCATED;
            case ScoringStrategy.MOST_ALLOCATED -> Way.MOST_ALLOCATED;
            case ScoringStrategy.REQUESTED_TO_CAPACITY_RATIO -> Way.SHAPE;
            default ->
                throw new IllegalArgumentException(
                        "scoringStrategy.type: \"" + strategy.type() + "\" (expected: " + ScoringStrategy.TYPES + ")");
        };
        List<ResourceSpec> specs = strategy.resources();
        resources = new ResourceName[specs.size()];
        weights = new long[resources.length];
        nonZero = new boolean[resources.length];
        scalar = new boolean[resources.length];
        for (int i = 0; i < resources.length; i++) {
            String name = specs.get(i).name();
            resources[i] = ResourceName.of(name);
            weights[i] = specs.get(i).weight();
            nonZero[i] = resources[i].equals(ResourceName.CPU) || resources[i].equals(ResourceName.MEMORY);
            scalar[i] = ResourceName.isScalar(name);
        }
        ratings = new Ratings(strategy.requestedToCapacityRatio()
                .map(NodeResourcesFit.RequestedToCapacityRatio::shape)
                .orElse(List.of()));
    }

    ResourceName[] resources() {
        return resources;
    }

    /** What the pod asks for of each of the resources. */
    long[] requestsOf(Pod pod) {
        Pod counted = byContainers(pod);
        long[] requests = new long[resources.length];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = (nonZero[i] ? counted.nonZeroRequests() : counted.requests()).amount(resources[i]);
        }
        return requests;
    }

    /**
     * The pod as it counts here. Unlike everywhere else, kube-scheduler v1.36 goes by the containers alone: requests of the
     * pod as a whole do not replace theirs, and what a status reports does not count.
     */
    static Pod byContainers(Pod pod) {
        Pod asked = pod.withStatus(PodStatus.NONE);
        return pod.spec().podRequests().isEmpty()
                ? asked
                : asked.withSpec(pod.spec().toBuilder().podRequests(Map.of()).build());
    }

    /** The node's score, 0 to 100, for a pod with this request. */
    long of(NodeInfo node, ScoredRequest request) {
        long sum = 0;
        long weight = 0;
        for (int i = 0; i < resources.length; i++) {
            long capacity = request.capacity(node, i);
            if (capacity == 0 || scalar[i] && request.amount(i) == 0) {
                continue;
            }
            long score = score(used(node, request, i) + request.amount(i), capacity);
            if (score > 0 || way != Way.SHAPE) {
                sum += score * weights[i];
                weight += weights[i];
            }
        }
        if (weight == 0) {
            return 0;
        }
        return way == Way.SHAPE ? Math.round((double) sum / (double) weight) : sum / weight;
    }

    private long used(NodeInfo node, ScoredRequest request, int i) {
        if (request.isByDevices(node, i)) {
            return request.taken(node, i);
        }
        return nonZero[i] ? node.nonZeroRequested(resources[i]) : node.requested(resources[i]);
    }

    private long score(long requested, long capacity) {
        return switch (way) {
            case LEAST_ALLOCATED -> requested > capacity ? 0 : (capacity - requested) * NodeScores.MAX / capacity;
            case MOST_ALLOCATED -> Math.min(requested, capacity) * NodeScores.MAX / capacity;
            case SHAPE -> ratings.of(requested, capacity);
        };
    }
}
