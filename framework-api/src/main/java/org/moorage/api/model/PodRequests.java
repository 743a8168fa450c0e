// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The requests of a pod, computed from those of its containers.
 *
 * <p>The requests of containers add up. Init containers run one after the other, each with the sidecars started before
 * it, so of these the largest sum counts. During a resize this is done for the specified, for the allocated and for the
 * actuated requests, and of each resource the largest of the three totals counts. Pod-level requests replace the result
 * for the resources that they name, and the overhead is added.
 *
 * @param quantities the requests by resource
 * @param plain the same as integers
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
     * Returns the requests of a pod; resources in its status count where they are larger.
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
        if (level != PodLevelRequests.IGNORED && namesPodLevel(spec)) {
            // With pod-level requests, defaults apply only to resources that neither level names.
            defaults.keySet().removeAll(plain.keySet());
        }
        Resources requests = Resources.of(plain);
        Resources nonZero = defaults.isEmpty() ? requests : Resources.of(sum(spec, status, level, defaults, claims));
        return new PodRequests(plain, requests, nonZero);
    }

    /** Returns whether the status reports the resources as specified or not at all, so that it has no effect. */
    static boolean areAsSpecified(PodSpec spec, PodStatus status) {
        if (status.podResources().isPresent() || status.isResizeInfeasible()) {
            return false;
        }
        return status.containerResources().isEmpty()
                || areAsSpecified(spec.containers(), status) && areAsSpecified(spec.initContainers(), status);
    }

    private static boolean areAsSpecified(List<Container> containers, PodStatus status) {
        for (Container container : containers) {
            if (!actuated(container, status).equals(container.requests())
                    || !allocated(container, status).equals(container.requests())) {
                return false;
            }
        }
        return true;
    }

    /** Returns the first resource of which containers and claims request more than the pod-level request, or empty. */
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
        PodStatus.ContainerResources reported =
                level == PodLevelRequests.AS_REPORTED ? status.podResources().orElse(null) : null;
        boolean isInfeasible = status.isResizeInfeasible();
        Map<String, Quantity> total = isInfeasible ? new HashMap<>() : specified(spec, defaults, claims);
        if (reported != null
                && reported.requests().isPresent()
                && reported.allocated().isPresent()) {
            // The node's report already includes the claims.
            raise(total, reported.requests().get());
            raise(total, reported.allocated().get());
        } else if (isInfeasible || !status.containerResources().isEmpty()) {
            Map<String, Quantity> allocated = containers(spec, defaults, container -> allocated(container, status));
            addClaims(allocated, claims);
            raise(total, allocated);
            raise(total, containers(spec, defaults, container -> actuated(container, status)));
        }
        if (level != PodLevelRequests.IGNORED && namesPodLevel(spec)) {
            Map<String, Quantity> requests = spec.podRequests();
            if (reported != null) {
                requests = new HashMap<>(isInfeasible ? Map.of() : spec.podRequests());
                raise(requests, reported.requests().orElse(Map.of()));
                raise(requests, reported.allocated().orElse(Map.of()));
            }
            requests.forEach((resource, quantity) -> {
                if (isPodLevel(resource)) {
                    total.put(resource, quantity);
                }
            });
        }
        add(total, spec.overhead());
        return total;
    }

    private static Map<String, Quantity> specified(
            PodSpec spec, Map<String, Quantity> defaults, List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        Map<String, Quantity> total = containers(spec, defaults, Container::requests);
        addClaims(total, claims);
        return total;
    }

    private static Map<String, Quantity> containers(
            PodSpec spec, Map<String, Quantity> defaults, Function<Container, Map<String, Quantity>> requestsOf) {
        Map<String, Quantity> total = new HashMap<>();
        for (Container container : spec.containers()) {
            add(total, withDefaults(requestsOf.apply(container), defaults));
        }
        Map<String, Quantity> sidecars = new HashMap<>();
        Map<String, Quantity> starting = new HashMap<>();
        for (Container container : spec.initContainers()) {
            Map<String, Quantity> requests = withDefaults(requestsOf.apply(container), defaults);
            if (container.isSidecar()) {
                add(total, requests);
                add(sidecars, requests);
                raise(starting, sidecars);
            } else {
                Map<String, Quantity> together = new HashMap<>(requests);
                add(together, sidecars);
                raise(starting, together);
            }
        }
        raise(total, starting);
        return total;
    }

    private static Map<String, Quantity> allocated(Container container, PodStatus status) {
        Optional<PodStatus.ContainerResources> reported = reported(container, status);
        return reported.flatMap(PodStatus.ContainerResources::allocated).orElseGet(() -> unreported(container, status));
    }

    private static Map<String, Quantity> actuated(Container container, PodStatus status) {
        Optional<PodStatus.ContainerResources> reported = reported(container, status);
        return reported.flatMap(PodStatus.ContainerResources::requests)
                .or(() -> reported.flatMap(PodStatus.ContainerResources::allocated))
                .orElseGet(() -> unreported(container, status));
    }

    private static Map<String, Quantity> unreported(Container container, PodStatus status) {
        return status.isResizeInfeasible() ? Map.of() : container.requests();
    }

    private static Optional<PodStatus.ContainerResources> reported(Container container, PodStatus status) {
        for (PodStatus.ContainerResources reported : status.containerResources()) {
            if (reported.name().equals(container.name())) {
                return Optional.of(reported);
            }
        }
        return Optional.empty();
    }

    private static boolean namesPodLevel(PodSpec spec) {
        for (String resource : spec.podRequests().keySet()) {
            if (isPodLevel(resource)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPodLevel(String resource) {
        return resource.equals(CPU) || resource.equals(MEMORY) || ResourceName.isHugePages(resource);
    }

    private static Map<String, Quantity> withDefaults(Map<String, Quantity> requests, Map<String, Quantity> defaults) {
        if (defaults.isEmpty()) {
            return requests;
        }
        Map<String, Quantity> result = new HashMap<>(defaults);
        result.putAll(requests);
        return result;
    }

    private static void addClaims(
            Map<String, Quantity> total, List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
        for (PodStatus.NodeAllocatableResourceClaimStatus claim : claims) {
            add(total, claim.resources());
        }
    }

    private static void add(Map<String, Quantity> total, Map<String, Quantity> more) {
        more.forEach((resource, quantity) -> total.merge(resource, quantity, Quantity::plus));
    }

    private static void raise(Map<String, Quantity> total, Map<String, Quantity> other) {
        other.forEach((resource, quantity) -> total.merge(resource, quantity, Quantity::max));
    }
}
