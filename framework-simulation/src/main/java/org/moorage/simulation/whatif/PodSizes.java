// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * The request sizes of the pods of a cluster, with their frequencies. Future pods are assumed to be like the existing
 * ones. Immutable.
 */
public final class PodSizes {
    // More sizes would take longer and hardly change the result.
    private static final int MOST_SIZES = 200;

    private final List<Size> sizes;

    /** The positive requests of some equal pods, by resource. */
    private record Size(Map<ResourceName, Long> requests, int pods) {
        boolean fits(Map<ResourceName, Long> free, long freePods) {
            if (freePods < 1) {
                return false;
            }
            for (Map.Entry<ResourceName, Long> request : requests.entrySet()) {
                if (free.getOrDefault(request.getKey(), 0L) < request.getValue()) {
                    return false;
                }
            }
            return true;
        }
    }

    private PodSizes(List<Size> sizes) {
        this.sizes = sizes;
    }

    /**
     * Returns the sizes of the pods that have not ended and do not belong to a node, at most the 200 most frequent
     * sizes.
     */
    public static PodSizes of(Collection<Pod> pods) {
        Objects.requireNonNull(pods, "pods");
        Map<Resources, Integer> counts = new HashMap<>();
        for (Pod pod : Pod.distinct(pods)) {
            RecreatedPod.Fate fate = RecreatedPod.fateOf(pod);
            if (fate != RecreatedPod.Fate.ENDED && fate != RecreatedPod.Fate.OF_NODE) {
                counts.merge(pod.requestsWithClaims(), 1, Integer::sum);
            }
        }
        List<Size> sizes = new ArrayList<>();
        counts.forEach((requests, count) -> sizes.add(new Size(amounts(requests), count)));
        sizes.sort((first, second) -> first.pods != second.pods
                ? Integer.compare(second.pods, first.pods)
                : first.requests.toString().compareTo(second.requests.toString()));
        return new PodSizes(List.copyOf(sizes.subList(0, Math.min(MOST_SIZES, sizes.size()))));
    }

    private static Map<ResourceName, Long> amounts(Resources requests) {
        Map<ResourceName, Long> amounts = new HashMap<>();
        List<ResourceName> names = new ArrayList<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        for (int i = 0; i < requests.scalarCount(); i++) {
            names.add(ResourceName.of(requests.scalarName(i)));
        }
        for (ResourceName name : names) {
            if (requests.amount(name) > 0) {
                amounts.put(name, requests.amount(name));
            }
        }
        return amounts;
    }

    /**
     * Returns the probability, from 0 to 1, that the free amount of a resource on a node is unusable for the next pod
     * that requests the resource: the share of those pods that do not fit into the free resources of the node. Only
     * requests count, not affinity, taints and the like.
     *
     * @param free the free amounts of the node, by resource
     * @param freePods the number of further pods that the node may have
     */
    public double unusable(ResourceName resource, Map<ResourceName, Long> free, long freePods) {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(free, "free");
        long all = 0;
        long useless = 0;
        for (Size size : sizes) {
            if (size.requests.containsKey(resource)) {
                all += size.pods;
                useless += size.fits(free, freePods) ? 0 : size.pods;
            }
        }
        return all == 0 ? 0 : (double) useless / all;
    }
}
