// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.objects.internal.Fields;

/** Default requests and limits of containers, and of pods that request resources as a whole. */
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

    private static void addMissing(Fields resources, Fields defaults) {
        defaults.node().properties().forEach(entry -> resources.node().putIfAbsent(entry.getKey(), entry.getValue()));
    }

    /**
     * A pod that requests or limits resources as a whole: it limits huge pages to the sum of its containers' limits, and requests what its
     * containers request together, or else its limits. Its other limits are left alone, since nothing decides by them.
     */
    static void podAsAWhole(Fields spec) {
        spec.pointer("resources").filter(PodResourceDefaults::saysAnything).ifPresent(resources -> {
            podHugePageLimits(spec, resources);
            podRequests(spec, resources);
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
                resources.struct("limits").node().putIfAbsent(name, text(limit));
            }
        });
    }

    private static void podRequests(Fields spec, Fields resources) {
        ObjectNode requests = resources.struct("requests").node();
        aggregated(spec, "requests").forEach((name, request) -> {
            if (isCpuOrMemory(name)) {
                requests.putIfAbsent(name, text(request));
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

    private static JsonNode text(Quantity quantity) {
        return JsonNodeFactory.instance.textNode(quantity.toString());
    }

    // What the pod's containers need together: the larger of all that run at once and each init container's turn.
    private static Map<String, Quantity> aggregated(Fields spec, String requestsOrLimits) {
        Map<String, Quantity> total = new LinkedHashMap<>();
        Map<String, Quantity> sidecars = new LinkedHashMap<>();
        Map<String, Quantity> initMaximum = new LinkedHashMap<>();
        for (Fields container : spec.each("containers")) {
            add(total, amounts(container, requestsOrLimits));
        }
        for (Fields container : spec.each("initContainers")) {
            Map<String, Quantity> step = amounts(container, requestsOrLimits);
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

    private static Map<String, Quantity> amounts(Fields container, String requestsOrLimits) {
        Map<String, Quantity> amounts = new LinkedHashMap<>();
        container
                .pointer("resources")
                .flatMap(resources -> resources.pointer(requestsOrLimits))
                .ifPresent(list ->
                        list.node().fieldNames().forEachRemaining(name -> amounts.put(name, list.quantity(name))));
        return amounts;
    }

    private static void add(Map<String, Quantity> sum, Map<String, Quantity> amounts) {
        amounts.forEach((name, amount) -> sum.merge(name, amount, Quantity::plus));
    }

    private static void raise(Map<String, Quantity> highest, Map<String, Quantity> amounts) {
        amounts.forEach((name, amount) -> highest.merge(name, amount, Quantity::max));
    }
}
