// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The quality of service class of a pod, the best first. It follows from the cpu and memory of the containers. */
public enum QosClass {
    /** Requests are set for all containers, and are equal to the limits. */
    GUARANTEED("Guaranteed"),
    /** Some requests or limits are set. */
    BURSTABLE("Burstable"),
    /** Neither requests nor limits are set. */
    BEST_EFFORT("BestEffort");

    private static final List<String> RESOURCES = List.of("cpu", "memory");

    private final String title;

    QosClass(String title) {
        this.title = title;
    }

    /** Returns the class of that name, as in a pod's status; empty if there is none. */
    public static Optional<QosClass> of(String name) {
        for (QosClass each : values()) {
            if (each.title.equals(name)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Returns the class of a pod by its specification, as the kubelet computes it. */
    static QosClass of(PodSpec spec) {
        Map<String, Quantity> requests = new HashMap<>();
        Map<String, Quantity> limits = new HashMap<>();
        boolean isLimited = true;
        boolean isPodLevel = spec.podLevelRequests() != PodLevelRequests.IGNORED
                && !(spec.podRequests().isEmpty() && spec.podLimits().isEmpty());
        if (isPodLevel) {
            add(spec.podRequests(), requests);
            isLimited = add(spec.podLimits(), limits) == RESOURCES.size();
        } else {
            List<Container> containers = new ArrayList<>(spec.containers());
            containers.addAll(spec.initContainers());
            for (Container container : containers) {
                add(container.requests(), requests);
                isLimited &= add(container.limits(), limits) == RESOURCES.size();
            }
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return BEST_EFFORT;
        }
        return isLimited && isEqual(requests, limits) ? GUARANTEED : BURSTABLE;
    }

    // Returns the number of resources that the list has.
    private static int add(Map<String, Quantity> list, Map<String, Quantity> sums) {
        int found = 0;
        for (String resource : RESOURCES) {
            Quantity amount = list.getOrDefault(resource, Quantity.ZERO);
            if (amount.compareTo(Quantity.ZERO) > 0) {
                sums.merge(resource, amount, Quantity::plus);
                found++;
            }
        }
        return found;
    }

    private static boolean isEqual(Map<String, Quantity> requests, Map<String, Quantity> limits) {
        if (requests.size() != limits.size()) {
            return false;
        }
        for (Map.Entry<String, Quantity> request : requests.entrySet()) {
            Quantity limit = limits.get(request.getKey());
            if (limit == null || limit.compareTo(request.getValue()) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the name as in a pod's status. */
    @Override
    public String toString() {
        return title;
    }
}
