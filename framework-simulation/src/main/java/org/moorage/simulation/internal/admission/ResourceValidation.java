// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.objects.tree.Fields;

/** The validation of the requests and limits of containers, pods and claims. */
final class ResourceValidation {
    private static final String REQUESTS = "requests.";
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> OF_PODS = Set.of("cpu", "memory");
    private static final Set<String> INTEGERS = Set.of(
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "configmaps",
            "persistentvolumeclaims",
            "services.nodeports",
            "services.loadbalancers");
    private static final Set<String> OTHER_STANDARD = Set.of(
            "storage",
            "requests.cpu",
            "requests.memory",
            "requests.ephemeral-storage",
            "requests.storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage");

    private ResourceValidation() {}

    /**
     * Validates the resources of a container.
     *
     * @param claims the names of the pod's resource claims
     * @param isStrict whether requests of extended resources must have limits
     */
    static void ofContainer(Fields resources, Set<String> claims, boolean isStrict, String path, FieldErrors errors) {
        lists(resources, isStrict, path, (name, where) -> containerResource(name, where, errors), errors);
        claims(resources.each("claims"), claims, path + ".claims", errors);
    }

    /** Validates the overhead of a pod, which has the form of limits. */
    static void ofOverhead(Fields spec, String path, FieldErrors errors) {
        WrittenQuantity.list(spec, "overhead").forEach((name, amount) -> {
            String where = path + ".limits[" + name + "]";
            containerResource(name, where, errors);
            amount(name, amount, where, errors);
        });
    }

    private static void lists(
            Fields resources, boolean isStrict, String path, BiConsumer<String, String> nameRules, FieldErrors errors) {
        Map<String, WrittenQuantity> limits = WrittenQuantity.list(resources, "limits");
        Map<String, WrittenQuantity> requests = WrittenQuantity.list(resources, "requests");
        limits.forEach((name, limit) -> {
            String where = path + ".limits[" + name + "]";
            nameRules.accept(name, where);
            amount(name, limit, where, errors);
        });
        requests.forEach((name, request) -> {
            String where = path + ".requests[" + name + "]";
            nameRules.accept(name, where);
            quantity(name, request, where, errors);
            requestAndLimit(name, request, limits, isStrict, path, errors);
            hugePages(name, request, where, errors);
        });
        Set<String> names = new HashSet<>(limits.keySet());
        names.addAll(requests.keySet());
        if (names.stream().anyMatch(ResourceName::isHugePages) && names.stream().noneMatch(OF_PODS::contains)) {
            errors.forbidden(path, "HugePages require cpu or memory");
        }
    }

    private static void requestAndLimit(
            String name,
            WrittenQuantity request,
            Map<String, WrittenQuantity> limits,
            boolean isStrict,
            String path,
            FieldErrors errors) {
        WrittenQuantity limit = limits.get(name);
        if (limit == null) {
            if (isStrict && !isOvercommitted(name)) {
                errors.required(path + ".limits", "Limit must be set for non overcommitable resources");
            }
        } else if (!isOvercommitted(name) && !request.amount().equals(limit.amount())) {
            invalid(path + ".requests", request, "equal to " + name + " limit", limit, errors);
        } else if (limit.isLessThan(request)) {
            invalid(path + ".requests", request, "less than or equal to " + name + " limit", limit, errors);
        }
    }

    // Whether containers may use more of a resource than they request.
    private static boolean isOvercommitted(String resource) {
        return isNative(resource) && !ResourceName.isHugePages(resource);
    }

    private static boolean isNative(String resource) {
        return !resource.contains("/") || resource.contains("kubernetes.io/");
    }

    private static boolean isExtended(String resource) {
        return !isNative(resource)
                && !resource.startsWith(REQUESTS)
                && NameRules.key(REQUESTS + resource).isEmpty();
    }

    private static boolean resource(String name, String where, FieldErrors errors) {
        List<String> broken = NameRules.key(name);
        errors.invalid(where, name, broken);
        boolean isStandard = OF_CONTAINERS.contains(name)
                || INTEGERS.contains(name)
                || OTHER_STANDARD.contains(name)
                || ResourceName.isHugePages(name)
                || name.startsWith(REQUESTS + "hugepages-");
        if (broken.isEmpty() && !name.contains("/") && !isStandard) {
            errors.invalid(where, name, "must be a standard resource type or fully qualified");
            return false;
        }
        return broken.isEmpty();
    }

    private static void containerResource(String name, String where, FieldErrors errors) {
        resource(name, where, errors);
        if (name.split("/", -1).length == 1) {
            if (!OF_CONTAINERS.contains(name) && !ResourceName.isHugePages(name)) {
                errors.invalid(where, name, "must be a standard resource for containers");
            }
        } else if (!isNative(name) && !isExtended(name)) {
            errors.invalid(where, name, "doesn't follow extended resource name standard");
        }
    }

    private static void podResource(String name, String where, FieldErrors errors) {
        if (resource(name, where, errors) && !OF_PODS.contains(name) && !ResourceName.isHugePages(name)) {
            errors.notSupported(where, name, List.of("cpu", "hugepages-", "memory"));
        }
    }

    private static void amount(String name, WrittenQuantity amount, String where, FieldErrors errors) {
        quantity(name, amount, where, errors);
        hugePages(name, amount, where, errors);
    }

    /** Validates an amount of a resource: not below zero, and whole if the resource is counted. */
    static void quantity(String name, WrittenQuantity amount, String where, FieldErrors errors) {
        if (amount != null && amount.amount().compareTo(Quantity.ZERO) < 0) {
            errors.invalid(where, amount.text(), "must be greater than or equal to 0");
        }
        boolean isCounted = INTEGERS.contains(name) || isExtended(name);
        if (isCounted && exact(amount).remainder(BigDecimal.ONE).signum() != 0) {
            errors.invalid(where, amount.text(), "must be an integer");
        }
    }

    private static BigDecimal exact(WrittenQuantity amount) {
        return new BigDecimal(amount.amount().toString());
    }

    private static void hugePages(String name, WrittenQuantity amount, String where, FieldErrors errors) {
        if (ResourceName.isHugePages(name) && !isMultiple(amount, name.substring("hugepages-".length()))) {
            errors.invalid(where, amount.text(), amount.text() + " is not positive integer multiple of " + name);
        }
    }

    private static boolean isMultiple(WrittenQuantity amount, String pageSize) {
        try {
            BigDecimal size = new BigDecimal(Quantity.parse(pageSize).toString());
            return size.signum() > 0 && exact(amount).remainder(size).signum() == 0;
        } catch (IllegalArgumentException notSized) {
            return false;
        }
    }

    private static void claims(List<Fields> used, Set<String> claims, String list, FieldErrors errors) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < used.size(); i++) {
            String own = list + "[" + i + "]";
            String name = used.get(i).text("name");
            if (name.isEmpty()) {
                errors.required(own, "");
                continue;
            }
            claim(name, used.get(i).text("request"), names, own, errors);
            if (!claims.contains(name)) {
                errors.notFound(
                        own,
                        name,
                        "must be one of the names in pod.spec.resourceClaims"
                                + (claims.isEmpty()
                                        ? " which is empty"
                                        : ": " + String.join(", ", new TreeSet<>(claims))));
            }
        }
    }

    private static void claim(String name, String request, Set<String> names, String own, FieldErrors errors) {
        if (names.contains(name)) {
            errors.duplicate(own, name);
            return;
        }
        if (!request.isEmpty()) {
            errors.invalid(own + ".request", request, NameRules.label(request));
        }
        String key = request.isEmpty() ? name : name + "/" + request;
        if (names.contains(key)) {
            errors.duplicate(own, key);
        } else if (request.isEmpty()) {
            names.stream().filter(other -> other.startsWith(name + "/")).forEach(other -> errors.duplicate(own, name));
        }
        names.add(key);
    }

    /** Validates the pod-level resources, also against the resources of the containers. */
    static void ofPod(Fields spec, String path, FieldErrors errors) {
        if (spec.isAbsent("resources")) {
            return;
        }
        Fields resources = spec.struct("resources");
        String own = path + ".resources";
        if (!resources.isAbsent("claims")) {
            errors.forbidden(own + ".claims", "claims may not be set for Resources at pod-level");
        }
        lists(resources, true, own, (name, where) -> podResource(name, where, errors), errors);
        sums(spec, resources, own, errors);
        limitsOfContainers(spec, resources, own, errors);
    }

    private static void sums(Fields spec, Fields resources, String own, FieldErrors errors) {
        Map<String, WrittenQuantity> requests = WrittenQuantity.list(resources, "requests");
        Map<String, WrittenQuantity> limits = WrittenQuantity.list(resources, "limits");
        PodResourceDefaults.aggregated(spec, "requests").forEach((name, sum) -> {
            WrittenQuantity request = requests.get(name);
            if (request != null && request.isLessThan(sum)) {
                invalid(
                        own + ".requests[" + name + "]",
                        request,
                        "greater than or equal to aggregate container requests",
                        sum,
                        errors);
            }
        });
        PodResourceDefaults.aggregated(spec, "limits").forEach((name, sum) -> {
            WrittenQuantity limit = limits.get(name);
            if (ResourceName.isHugePages(name) && limit != null && limit.isLessThan(sum)) {
                invalid(
                        own + ".limits[" + name + "]",
                        limit,
                        "greater than or equal to aggregate container limits",
                        sum,
                        errors);
            }
        });
    }

    private static void limitsOfContainers(Fields spec, Fields resources, String own, FieldErrors errors) {
        Map<String, WrittenQuantity> limits = WrittenQuantity.list(resources, "limits");
        List<Fields> containers = spec.each("containers");
        for (int i = 0; i < containers.size(); i++) {
            String container = own + ".containers[" + i + "]";
            WrittenQuantity.list(containers.get(i).struct("resources"), "limits")
                    .forEach((name, ofContainer) -> {
                        WrittenQuantity limit = limits.get(name);
                        if (limit != null && limit.isLessThan(ofContainer)) {
                            invalid(
                                    container + "[" + name + "].limits",
                                    ofContainer,
                                    "less than or equal to pod limits",
                                    limit,
                                    errors);
                        }
                    });
        }
    }

    private static void invalid(
            String path, WrittenQuantity value, String bound, WrittenQuantity other, FieldErrors errors) {
        errors.invalid(path, value.text(), "must be " + bound + " of " + other.text());
    }

    /** Validates that a volume claim requests storage. */
    static void storage(JsonNode requests, Fields resources, String path, FieldErrors errors) {
        if (Fields.isAbsent(requests.path("storage"))) {
            errors.required(path, "");
            return;
        }
        WrittenQuantity amount = WrittenQuantity.list(resources, "requests").get("storage");
        if (amount != null && amount.amount().compareTo(Quantity.ZERO) <= 0) {
            errors.invalid(path, amount.text(), "must be greater than zero");
        }
    }
}
