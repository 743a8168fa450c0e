// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The requests of a pod, computed from those of its containers.
 *
 * <p>The requests of containers add up. Init containers run one after the other, each with the sidecars started before it, so
 * of these the largest sum counts. Pod-level requests replace the result for the resources that they name, and
 * the overhead is added.
 *
 * @param quantities the requests by resource
 * @param plain the same as whole numbers
 * @param nonZero the same with 100m of cpu and 200Mi of memory for containers without a request
 */
record PodRequests(Map<String, Quantity> quantities, Resources plain, Resources nonZero) {
    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final Map<String, Quantity> DEFAULTS =
            Map.of(CPU, Quantity.ofMilli(100), MEMORY, Quantity.of(200L << 20));

    PodRequests {
        quantities = Map.copyOf(quantities);
    }

    /**
     * The requests of a pod; resources in its status count where they are larger.
     *
     * @param level how pod-level requests count
     * @param claims the node allocatable resources of its claims, which count like those of a container
     */
    static PodRequests of(
            PodSpec spec,
            PodStatus status,
            PodLevelRequests level,
            List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        Map<String, Quantity> plain = sum(spec, status, level, Map.of(), claims);
        Map<String, Quantity> defaults = new HashMap<>(DEFAULTS);
        if (level != PodLevelRequests.IGNORED
                && spec.podRequests().keySet().stream().anyMatch(PodRequests::isPodLevel)) {
            // With pod-level requests, defaults apply only to resources that neither level names.
            defaults.keySet().removeAll(plain.keySet());
        }
        Resources requests = Resources.of(plain);
        Resources nonZero = defaults.isEmpty() ? requests : Resources.of(sum(spec, status, level, defaults, claims));
        return new PodRequests(plain, requests, nonZero);
    }

    /** The first resource of which containers and claims request more than the pod-level request, or empty. */
    static Optional<String> firstExceeded(PodSpec spec, List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        if (spec.podRequests().isEmpty() || spec.podLevelRequests() == PodLevelRequests.IGNORED) {
            return Optional.empty();
        }
        Map<String, Quantity> whole = sum(spec, PodStatus.NONE, PodLevelRequests.AS_SPECIFIED, Map.of(), claims);
        Map<String, Quantity> parts = sum(spec, PodStatus.NONE, PodLevelRequests.IGNORED, Map.of(), claims);
        for (Map.Entry<String, Quantity> part : new TreeMap<>(parts).entrySet()) {
            if (part.getValue().compareTo(whole.getOrDefault(part.getKey(), part.getValue())) > 0) {
                return Optional.of(part.getKey());
            }
        }
        return Optional.empty();
    }

    private static Map<String, Quantity> sum(
            PodSpec spec,
            PodStatus status,
            PodLevelRequests level,
            Map<String, Quantity> defaults,
            List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        Map<String, Quantity> total = new HashMap<>();
        for (Container container : spec.containers()) {
            add(total, withDefaults(actual(container, status), defaults));
        }
        Map<String, Quantity> sidecars = new HashMap<>();
        Map<String, Quantity> starting = new HashMap<>();
        for (Container container : spec.initContainers()) {
            if (container.isSidecar()) {
                Map<String, Quantity> requests = withDefaults(actual(container, status), defaults);
                add(total, requests);
                add(sidecars, requests);
                raise(starting, sidecars);
            } else {
                Map<String, Quantity> requests = new HashMap<>(withDefaults(container.requests(), defaults));
                add(requests, sidecars);
                raise(starting, requests);
            }
        }
        raise(total, starting);
        for (PodStatus.NodeAllocatableResourceClaimStatus claim : claims) {
            add(total, claim.resources());
        }
        if (level != PodLevelRequests.IGNORED) {
            replaceByPodLevel(total, spec, level == PodLevelRequests.AS_REPORTED ? status : PodStatus.NONE);
        }
        add(total, spec.overhead());
        return total;
    }

    // During a resize the larger of the actual, the allocated and the specified requests counts.
    private static Map<String, Quantity> actual(Container container, PodStatus status) {
        List<PodStatus.ContainerResources> reported = status.containerResources();
        for (int i = 0; i < reported.size(); i++) {
            if (reported.get(i).name().equals(container.name())) {
                return largest(container.requests(), reported.get(i), status.isResizeInfeasible());
            }
        }
        return container.requests();
    }

    private static Map<String, Quantity> largest(
            Map<String, Quantity> specified, PodStatus.ContainerResources reported, boolean isInfeasible) {
        Map<String, Quantity> result = new HashMap<>(reported.requests());
        raise(result, reported.allocated());
        if (!isInfeasible) {
            raise(result, specified);
        }
        return result;
    }

    // Of an infeasible resize only the reported resources count, even if there are none.
    private static void replaceByPodLevel(Map<String, Quantity> total, PodSpec spec, PodStatus status) {
        if (spec.podRequests().isEmpty()) {
            return;
        }
        Map<String, Quantity> requests = status.podResources()
                .map(reported -> largest(spec.podRequests(), reported, status.isResizeInfeasible()))
                .orElse(spec.podRequests());
        for (String resource : spec.podRequests().keySet()) {
            if (isPodLevel(resource)) {
                total.put(resource, requests.getOrDefault(resource, Quantity.ZERO));
            }
        }
    }

    private static boolean isPodLevel(String resource) {
        return resource.equals(CPU) || resource.equals(MEMORY) || resource.startsWith("hugepages-");
    }

    private static Map<String, Quantity> withDefaults(Map<String, Quantity> requests, Map<String, Quantity> defaults) {
        if (defaults.isEmpty()) {
            return requests;
        }
        Map<String, Quantity> result = new HashMap<>(defaults);
        result.putAll(requests);
        return result;
    }

    private static void add(Map<String, Quantity> total, Map<String, Quantity> more) {
        more.forEach((resource, quantity) -> total.merge(resource, quantity, Quantity::plus));
    }

    private static void raise(Map<String, Quantity> total, Map<String, Quantity> other) {
        other.forEach((resource, quantity) -> total.merge(resource, quantity, Quantity::max));
    }
}
