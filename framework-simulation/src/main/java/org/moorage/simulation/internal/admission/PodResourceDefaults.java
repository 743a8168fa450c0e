// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.moorage.api.model.ResourceName;
import org.moorage.objects.tree.Fields;

/** The default requests and limits of containers, and of pods with pod-level resources. */
final class PodResourceDefaults {
    private PodResourceDefaults() {}

    /** A container requests what it limits, unless it says otherwise. */
    static void requestsFromLimits(Fields container) {
        container
                .pointer("resources")
                .ifPresent(resources -> resources
                        .pointer("limits")
                        .ifPresent(limits -> addMissing(resources.struct("requests"), limits)));
    }

    /** Adds the entries of a resource list that another one lacks. */
    static void addMissing(Fields resources, Fields defaults) {
        defaults.node().properties().forEach(entry -> resources.node().putIfAbsent(entry.getKey(), entry.getValue()));
    }

    /**
     * A pod that requests or limits resources as a whole: it limits huge pages to the sum of its containers' limits,
     * requests what its containers request together, or else its limits, and limits the rest of what it requests to the
     * sum of the limits that all containers have.
     */
    static void podAsAWhole(Fields spec) {
        spec.pointer("resources").filter(PodResourceDefaults::saysAnything).ifPresent(resources -> {
            podHugePageLimits(spec, resources);
            podRequests(spec, resources);
            podLimits(spec, resources);
        });
    }

    /** As up to v1.36: requests are filled in only where there are limits. */
    static void podAsAWholeBeforeAdmission(Fields spec) {
        spec.pointer("resources").filter(PodResourceDefaults::saysAnything).ifPresent(resources -> {
            podHugePageLimits(spec, resources);
            if (!resources.isEmpty("limits")) {
                podRequests(spec, resources);
            }
        });
    }

    private static boolean saysAnything(Fields resources) {
        return !resources.isEmpty("limits") || !resources.isEmpty("requests");
    }

    private static void podHugePageLimits(Fields spec, Fields resources) {
        JsonNode requests = resources.node().path("requests");
        aggregated(spec, "limits").forEach((name, limit) -> {
            if (ResourceName.isHugePages(name) && !requests.has(name)) {
                resources.struct("limits").node().putIfAbsent(name, limit.node());
            }
        });
    }

    private static void podRequests(Fields spec, Fields resources) {
        ObjectNode requests = resources.struct("requests").node();
        aggregated(spec, "requests").forEach((name, request) -> {
            if (isCpuOrMemory(name)) {
                requests.putIfAbsent(name, request.node());
            }
        });
        resources.pointer("limits").ifPresent(limits -> {
            for (Map.Entry<String, JsonNode> limit : limits.node().properties()) {
                if (isCpuOrMemory(limit.getKey()) || ResourceName.isHugePages(limit.getKey())) {
                    requests.putIfAbsent(limit.getKey(), limit.getValue());
                }
            }
        });
    }

    private static boolean isCpuOrMemory(String resource) {
        return resource.equals("cpu") || resource.equals("memory");
    }

    private static void podLimits(Fields spec, Fields resources) {
        Map<String, WrittenQuantity> sums = aggregated(spec, "limits");
        WrittenQuantity.list(resources, "requests").forEach((name, request) -> {
            WrittenQuantity sum = sums.get(name);
            boolean isOfWholePods = isCpuOrMemory(name) || ResourceName.isHugePages(name);
            if (sum != null && isOfWholePods && allLimit(spec, name)) {
                resources
                        .struct("limits")
                        .node()
                        .putIfAbsent(name, sum.max(request).node());
            }
        });
    }

    private static boolean allLimit(Fields spec, String name) {
        return Stream.of("containers", "initContainers")
                .flatMap(list -> spec.each(list).stream())
                .allMatch(container ->
                        container.node().path("resources").path("limits").has(name));
    }

    /**
     * Returns the requests or limits of the whole pod, by resource: the sum of the containers that run at the same
     * time, or the sum of an init container and the sidecars before it, if that is more.
     */
    static Map<String, WrittenQuantity> aggregated(Fields spec, String requestsOrLimits) {
        Map<String, WrittenQuantity> total = new TreeMap<>();
        Map<String, WrittenQuantity> sidecars = new TreeMap<>();
        Map<String, WrittenQuantity> initMaximum = new TreeMap<>();
        for (Fields container : spec.each("containers")) {
            add(total, amounts(container, requestsOrLimits));
        }
        for (Fields container : spec.each("initContainers")) {
            Map<String, WrittenQuantity> step = amounts(container, requestsOrLimits);
            if (container.holds("restartPolicy", "Always")) {
                add(total, step);
                add(sidecars, step);
                step = sidecars;
            } else {
                add(step, sidecars);
            }
            raise(initMaximum, step);
        }
        raise(total, initMaximum);
        return total;
    }

    private static Map<String, WrittenQuantity> amounts(Fields container, String requestsOrLimits) {
        return container
                .pointer("resources")
                .map(resources -> WrittenQuantity.list(resources, requestsOrLimits))
                .orElseGet(TreeMap::new);
    }

    private static void add(Map<String, WrittenQuantity> sum, Map<String, WrittenQuantity> amounts) {
        amounts.forEach((name, amount) -> sum.merge(name, amount, WrittenQuantity::plus));
    }

    private static void raise(Map<String, WrittenQuantity> highest, Map<String, WrittenQuantity> amounts) {
        amounts.forEach((name, amount) -> highest.merge(name, amount, WrittenQuantity::max));
    }
}
