// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.ResourceName;
import org.moorage.objects.internal.Fields;

/** Of the validation of pods what admission may have brought about: requests and limits that contradict one another. */
final class ResourceValidation {
    private ResourceValidation() {}

    /**
     * Refuses a pod whose requests and limits contradict one another.
     *
     * @param podsHaveResources whether a pod may request resources as a whole
     */
    static void check(NewObject pod, boolean podsHaveResources) {
        List<String> errors = new ArrayList<>();
        Fields spec = pod.spec();
        for (String list : List.of("containers", "initContainers")) {
            List<Fields> containers = spec.each(list);
            for (int i = 0; i < containers.size(); i++) {
                checkRequirements(containers.get(i), "spec." + list + "[" + i + "].resources", errors);
            }
        }
        if (podsHaveResources && !spec.isAbsent("resources")) {
            checkRequirements(spec, "spec.resources", errors);
            checkWhole(spec, errors);
        }
        if (!errors.isEmpty()) {
            throw pod.invalid(errors);
        }
    }

    private static void checkRequirements(Fields parent, String path, List<String> errors) {
        Fields resources = parent.struct("resources");
        Map<String, WrittenQuantity> limits = WrittenQuantity.list(resources, "limits");
        WrittenQuantity.list(resources, "requests").forEach((name, request) -> {
            WrittenQuantity limit = limits.get(name);
            if (limit != null && !isOvercommitted(name) && !request.amount().equals(limit.amount())) {
                errors.add(invalid(path + ".requests", request, "equal to " + name + " limit", limit));
            } else if (limit != null && limit.isLessThan(request)) {
                errors.add(invalid(path + ".requests", request, "less than or equal to " + name + " limit", limit));
            }
        });
    }

    // Whether containers may use more of a resource than they request.
    private static boolean isOvercommitted(String resource) {
        boolean isNative = !resource.contains("/") || resource.contains("kubernetes.io/");
        return isNative && !ResourceName.isHugePages(resource);
    }

    private static void checkWhole(Fields spec, List<String> errors) {
        Fields resources = spec.struct("resources");
        Map<String, WrittenQuantity> requests = WrittenQuantity.list(resources, "requests");
        Map<String, WrittenQuantity> limits = WrittenQuantity.list(resources, "limits");
        PodResourceDefaults.aggregated(spec, "requests").forEach((name, sum) -> {
            WrittenQuantity request = requests.get(name);
            if (request != null && request.isLessThan(sum)) {
                errors.add(invalid(
                        "spec.resources.requests[" + name + "]",
                        request,
                        "greater than or equal to aggregate container requests",
                        sum));
            }
        });
        PodResourceDefaults.aggregated(spec, "limits").forEach((name, sum) -> {
            WrittenQuantity limit = limits.get(name);
            if (ResourceName.isHugePages(name) && limit != null && limit.isLessThan(sum)) {
                errors.add(invalid(
                        "spec.resources.limits[" + name + "]",
                        limit,
                        "greater than or equal to aggregate container limits",
                        sum));
            }
        });
        List<Fields> containers = spec.each("containers");
        for (int i = 0; i < containers.size(); i++) {
            String path = "spec.resources.containers[" + i + "]";
            WrittenQuantity.list(containers.get(i).struct("resources"), "limits")
                    .forEach((name, own) -> {
                        WrittenQuantity limit = limits.get(name);
                        if (limit != null && limit.isLessThan(own)) {
                            errors.add(invalid(
                                    path + "[" + name + "].limits", own, "less than or equal to pod limits", limit));
                        }
                    });
        }
    }

    private static String invalid(String path, WrittenQuantity value, String bound, WrittenQuantity other) {
        return path + ": Invalid value: \"" + value.text() + "\": must be " + bound + " of " + other.text();
    }
}
