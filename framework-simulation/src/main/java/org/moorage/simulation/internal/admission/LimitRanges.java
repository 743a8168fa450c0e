// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Quantity;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;

/**
 * The limit ranges of a cluster, and the rules of LimitRanger. The limit ranges of a namespace are applied in the order
 * of their names; the API server applies them in any order. Safe for use by several threads.
 */
final class LimitRanges {
    private static final String CONTAINER = "Container";
    private static final String POD = "Pod";
    private static final String CLAIM = "PersistentVolumeClaim";
    private static final long MOST_MILLI = Long.MAX_VALUE / 1000;

    /** The limits of a limit range, by type of object. */
    record LimitRange(List<Item> items) {}

    record Item(
            String type,
            Map<String, WrittenQuantity> max,
            Map<String, WrittenQuantity> min,
            Map<String, WrittenQuantity> limits,
            Map<String, WrittenQuantity> requests,
            Map<String, WrittenQuantity> maxLimitRequestRatio) {}

    private record Resources(Map<String, WrittenQuantity> requests, Map<String, WrittenQuantity> limits) {}

    private final Map<String, Map<String, LimitRange>> byNamespace = new ConcurrentHashMap<>();
    private final boolean podsHaveResources;

    /**
     * Creates the limit ranges of a cluster without objects; {@link #seen} adds them.
     *
     * @param podsHaveResources whether pod-level resources count
     */
    LimitRanges(boolean podsHaveResources) {
        this.podsHaveResources = podsHaveResources;
    }

    void seen(Fields limitRange, ObjectKey key) {
        List<Item> items = new ArrayList<>();
        for (Fields item : limitRange.struct("spec").each("limits")) {
            items.add(new Item(
                    item.node().path("type").asText(""),
                    WrittenQuantity.list(item, "max"),
                    WrittenQuantity.list(item, "min"),
                    WrittenQuantity.list(item, "default"),
                    WrittenQuantity.list(item, "defaultRequest"),
                    WrittenQuantity.list(item, "maxLimitRequestRatio")));
        }
        byNamespace
                .computeIfAbsent(key.namespace(), any -> new ConcurrentSkipListMap<>())
                .put(key.name(), new LimitRange(List.copyOf(items)));
    }

    void gone(ObjectKey key) {
        byNamespace.getOrDefault(key.namespace(), Map.of()).remove(key.name());
    }

    /** Returns the present limit ranges for an object, so that its defaults and its checks use the same ones. */
    List<LimitRange> of(NewObject object) {
        return List.copyOf(
                byNamespace.getOrDefault(object.namespace(), Map.of()).values());
    }

    /** Sets the default limits and requests of the containers that omit them. */
    static void setDefaults(NewObject pod, List<LimitRange> ranges) {
        for (LimitRange range : ranges) {
            for (Item item : range.items()) {
                if (item.type().equals(CONTAINER)) {
                    for (Fields container : containers(pod.spec())) {
                        Fields resources = container.struct("resources");
                        addMissing(resources, "limits", item.limits());
                        addMissing(resources, "requests", item.requests());
                    }
                }
            }
        }
    }

    private static List<Fields> containers(Fields spec) {
        List<Fields> containers = new ArrayList<>(spec.each("containers"));
        containers.addAll(spec.each("initContainers"));
        return containers;
    }

    private static void addMissing(Fields resources, String field, Map<String, WrittenQuantity> defaults) {
        if (!defaults.isEmpty()) {
            ObjectNode list = resources.struct(field).node();
            defaults.forEach((name, amount) -> list.putIfAbsent(name, amount.node()));
        }
    }

    /** Refuses a pod that is beyond a limit. */
    void check(NewObject pod, List<LimitRange> ranges) {
        for (LimitRange range : ranges) {
            List<String> errors = new ArrayList<>();
            for (Item item : range.items()) {
                if (item.type().equals(CONTAINER)) {
                    for (Fields container : containers(pod.spec())) {
                        checkLimits(item, resources(container), errors);
                    }
                } else if (item.type().equals(POD)) {
                    checkLimits(item, podResources(pod.spec()), errors);
                }
            }
            if (!errors.isEmpty()) {
                throw pod.forbidden(errors);
            }
        }
    }

    /** Refuses a claim that requests less than the minimum or more than the maximum. */
    void checkClaim(NewObject claim) {
        Map<String, WrittenQuantity> requests = resources(claim.spec()).requests();
        for (LimitRange range : of(claim)) {
            List<String> errors = new ArrayList<>();
            for (Item item : range.items()) {
                if (item.type().equals(CLAIM)) {
                    item.min()
                            .forEach((name, min) ->
                                    checkMin(item, name, min, new Resources(requests, Map.of()), errors));
                    item.max().forEach((name, max) -> checkMaxRequest(item, name, max, requests.get(name), errors));
                }
            }
            if (!errors.isEmpty()) {
                throw claim.forbidden(errors);
            }
        }
    }

    private static Resources resources(Fields parent) {
        Fields resources = parent.struct("resources");
        return new Resources(WrittenQuantity.list(resources, "requests"), WrittenQuantity.list(resources, "limits"));
    }

    private Resources podResources(Fields spec) {
        Map<String, WrittenQuantity> requests = PodResourceDefaults.aggregated(spec, "requests");
        Map<String, WrittenQuantity> limits = PodResourceDefaults.aggregated(spec, "limits");
        spec.pointer("resources").filter(any -> podsHaveResources).ifPresent(resources -> {
            for (String name : List.of("cpu", "memory")) {
                WrittenQuantity request =
                        WrittenQuantity.list(resources, "requests").get(name);
                if (request != null) {
                    requests.put(name, request);
                }
                WrittenQuantity limit =
                        WrittenQuantity.list(resources, "limits").get(name);
                if (limit != null) {
                    limits.put(name, limit);
                }
            }
        });
        return new Resources(requests, limits);
    }

    private static void checkLimits(Item item, Resources resources, List<String> errors) {
        item.min().forEach((name, min) -> checkMin(item, name, min, resources, errors));
        item.max().forEach((name, max) -> checkMax(item, name, max, resources, errors));
        item.maxLimitRequestRatio().forEach((name, ratio) -> checkRatio(item, name, ratio, resources, errors));
    }

    private static void checkMin(
            Item item, String name, WrittenQuantity min, Resources resources, List<String> errors) {
        WrittenQuantity request = resources.requests().get(name);
        WrittenQuantity limit = resources.limits().get(name);
        String start = "minimum " + name + " usage per " + item.type() + " is " + min.text();
        boolean inMilli = areInMilli(request, limit, min);
        if (request == null) {
            errors.add(start + ".  No request is specified");
        } else if (value(request, inMilli) < value(min, inMilli)) {
            errors.add(start + ", but request is " + request.text());
        } else if (limit != null && value(limit, inMilli) < value(min, inMilli)) {
            errors.add(start + ", but limit is " + limit.text());
        }
    }

    private static void checkMax(
            Item item, String name, WrittenQuantity max, Resources resources, List<String> errors) {
        WrittenQuantity request = resources.requests().get(name);
        WrittenQuantity limit = resources.limits().get(name);
        String start = "maximum " + name + " usage per " + item.type() + " is " + max.text();
        boolean inMilli = areInMilli(request, limit, max);
        if (limit == null) {
            errors.add(start + ".  No limit is specified");
        } else if (value(limit, inMilli) > value(max, inMilli)) {
            errors.add(start + ", but limit is " + limit.text());
        } else if (request != null && value(request, inMilli) > value(max, inMilli)) {
            errors.add(start + ", but request is " + request.text());
        }
    }

    private static void checkMaxRequest(
            Item item, String name, WrittenQuantity max, @Nullable WrittenQuantity request, List<String> errors) {
        String start = "maximum " + name + " usage per " + item.type() + " is " + max.text();
        boolean inMilli = areInMilli(request, null, max);
        if (request == null) {
            errors.add(start + ".  No request is specified");
        } else if (value(request, inMilli) > value(max, inMilli)) {
            errors.add(start + ", but request is " + request.text());
        }
    }

    private static void checkRatio(
            Item item, String name, WrittenQuantity most, Resources resources, List<String> errors) {
        WrittenQuantity request = resources.requests().get(name);
        WrittenQuantity limit = resources.limits().get(name);
        String start = name + " max limit to request ratio per " + item.type() + " is " + most.text() + ", but ";
        boolean inMilli = areInMilli(request, limit, most);
        if (request == null || value(request, inMilli) == 0) {
            errors.add(start + "no request is specified or request is 0");
        } else if (limit == null || value(limit, inMilli) == 0) {
            errors.add(start + "no limit is specified or limit is 0");
        } else {
            double ratio = (double) value(limit, inMilli) / value(request, inMilli);
            boolean isFine = most.amount().value() <= MOST_MILLI;
            double observed = isFine ? ratio * 1000 : ratio;
            if (observed > value(most, isFine)) {
                errors.add(start + "provided ratio is "
                        + new BigDecimal(ratio)
                                .setScale(6, RoundingMode.HALF_EVEN)
                                .toPlainString());
            }
        }
    }

    // Amounts are compared in thousandths, unless one of them is too large for that.
    private static boolean areInMilli(
            @Nullable WrittenQuantity request, @Nullable WrittenQuantity limit, WrittenQuantity enforced) {
        return isInMilli(request) && isInMilli(limit) && isInMilli(enforced);
    }

    private static boolean isInMilli(@Nullable WrittenQuantity quantity) {
        return quantity == null || quantity.amount().value() <= MOST_MILLI;
    }

    private static long value(WrittenQuantity quantity, boolean inMilli) {
        Quantity amount = quantity.amount();
        return inMilli ? amount.milliValue() : amount.value();
    }
}
