// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.Status;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodLevelRequests;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus.NodeAllocatableResourceClaimStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;

/**
 * Checks whether a pod's pod-level requests and limits cover the node-allocatable resources that its claims take in
 * addition. The API server cannot check this, since devices are only known later.
 */
final class PodLevelBudget {
    private PodLevelBudget() {}

    /** Returns why the claims do not fit, or empty; if several resources are exceeded, the first by name. */
    static Optional<Status> problem(Pod pod, List<NodeAllocatableResourceClaimStatus> claims) {
        PodSpec spec = pod.spec();
        if (spec.podLevelRequests() == PodLevelRequests.IGNORED || claims.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> requests = spec.firstExceededBy(claims);
        if (requests.isPresent()) {
            return Optional.of(Status.unresolvable("pod level request for " + requests.get()
                    + " is insufficient to cover the aggregated container and node-allocatable DRA requests"));
        }
        Map<String, Quantity> limits = new TreeMap<>(spec.podLimits());
        for (Map.Entry<String, Quantity> limit : limits.entrySet()) {
            String resource = limit.getKey();
            if (ResourceName.isHugePages(resource)
                    && ofContainersAndClaims(resource, spec, claims).compareTo(limit.getValue()) > 0) {
                return Optional.of(Status.unresolvable("pod level limit for " + resource
                        + " is insufficient to cover the aggregated container and node-allocatable DRA limits"));
            }
        }
        for (Container container : spec.containers()) {
            for (Map.Entry<String, Quantity> limit : limits.entrySet()) {
                String resource = limit.getKey();
                Quantity own = container.limits().get(resource);
                if (own != null
                        && !ResourceName.isHugePages(resource)
                        && own.plus(ofClaims(resource, container, claims)).compareTo(limit.getValue()) > 0) {
                    return Optional.of(Status.unresolvable("pod level limit for " + resource
                            + " is insufficient to cover the limit and DRA overhead for container "
                            + container.name()));
                }
            }
        }
        return Optional.empty();
    }

    // Init containers run one after the other, each with the sidecars started before it.
    private static Quantity ofContainersAndClaims(
            String resource, PodSpec spec, List<NodeAllocatableResourceClaimStatus> claims) {
        Quantity running = Quantity.ZERO;
        for (Container container : spec.containers()) {
            running = running.plus(limit(resource, container));
        }
        Quantity sidecars = Quantity.ZERO;
        Quantity starting = Quantity.ZERO;
        for (Container container : spec.initContainers()) {
            Quantity withSidecars = sidecars.plus(limit(resource, container));
            if (container.isSidecar()) {
                running = running.plus(limit(resource, container));
                sidecars = withSidecars;
            }
            starting = starting.max(withSidecars);
        }
        Quantity total = running.max(starting);
        for (NodeAllocatableResourceClaimStatus claim : claims) {
            total = total.plus(claim.resources().getOrDefault(resource, Quantity.ZERO));
        }
        return total;
    }

    private static Quantity limit(String resource, Container container) {
        return container.limits().getOrDefault(resource, Quantity.ZERO);
    }

    private static Quantity ofClaims(
            String resource, Container container, List<NodeAllocatableResourceClaimStatus> claims) {
        Quantity total = Quantity.ZERO;
        for (NodeAllocatableResourceClaimStatus claim : claims) {
            total = total.plus(claim.resourcesOf(container.name()).getOrDefault(resource, Quantity.ZERO));
        }
        return total;
    }
}
