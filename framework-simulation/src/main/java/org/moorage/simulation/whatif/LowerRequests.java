// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.model.Container;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;

/** By how much a pod's requests are lowered. */
final class LowerRequests {
    private static final long MI = 1 << 20;
    private static final long GI = 1 << 30;

    private final Map<ResourceName, Long> amounts = new TreeMap<>(Comparator.comparing(ResourceName::name));

    /**
     * At least that much, rounded up as people write it: what is counted in bytes to whole Mi, from 10 Gi on to whole
     * Gi, and from 10 cores on to tenths.
     *
     * @param least by resource, in the units of {@link org.moorage.api.model.Resources}
     */
    LowerRequests(Map<ResourceName, Long> least) {
        least.forEach((resource, amount) -> {
            long unit = isBytes(resource)
                    ? amount > 10 * GI ? GI : amount > MI ? MI : 1
                    : resource.equals(ResourceName.CPU) && amount > 10_000 ? 100 : 1;
            amounts.put(resource, (amount + unit - 1) / unit * unit);
        });
    }

    private static boolean isBytes(ResourceName resource) {
        return resource.equals(ResourceName.MEMORY) || resource.equals(ResourceName.EPHEMERAL_STORAGE);
    }

    /** Such as {@code cpu 500m} and {@code memory 512Mi}. */
    List<String> texts() {
        List<String> texts = new ArrayList<>();
        amounts.forEach((resource, amount) -> texts.add(resource.name() + " " + text(resource, amount)));
        return texts;
    }

    private static String text(ResourceName resource, long amount) {
        if (resource.equals(ResourceName.CPU)) {
            return amount % 100 == 0 && amount > 1000 || amount % 1000 == 0
                    ? BigDecimal.valueOf(amount, 3).stripTrailingZeros().toPlainString()
                    : amount + "m";
        }
        if (isBytes(resource) && amount % GI == 0) {
            return amount / GI + "Gi";
        }
        return isBytes(resource) && amount % MI == 0 ? amount / MI + "Mi" : Long.toString(amount);
    }

    /**
     * Returns the specification with lower requests: of the pod where it has one, or of its containers, the largest
     * first, and of its init containers where they are larger.
     */
    PodSpec.Builder of(PodSpec spec) {
        Map<String, Quantity> podRequests = new HashMap<>(spec.podRequests());
        List<Container> containers = spec.containers();
        List<Container> initContainers = spec.initContainers();
        for (Map.Entry<ResourceName, Long> entry : amounts.entrySet()) {
            String name = entry.getKey().name();
            Quantity less = quantity(entry.getKey(), entry.getValue());
            podRequests.computeIfPresent(name, (resource, request) -> lowered(request, less));
            Quantity left = quantity(entry.getKey(), spec.requests().amount(entry.getKey()))
                    .minus(less);
            containers = lowered(containers, name, less);
            initContainers = atMost(initContainers, name, left);
        }
        return spec.toBuilder().podRequests(podRequests).containers(containers).initContainers(initContainers);
    }

    private static Quantity quantity(ResourceName resource, long amount) {
        return resource.equals(ResourceName.CPU) ? Quantity.ofMilli(amount) : Quantity.of(amount);
    }

    private static Quantity lowered(Quantity request, Quantity less) {
        return request.minus(less).max(Quantity.ZERO);
    }

    private static List<Container> lowered(List<Container> containers, String resource, Quantity less) {
        TreeSet<Integer> byRequest =
                new TreeSet<>(Comparator.<Integer, Quantity>comparing(index -> request(containers.get(index), resource))
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()));
        for (int i = 0; i < containers.size(); i++) {
            byRequest.add(i);
        }
        List<Container> changed = new ArrayList<>(containers);
        Quantity missing = less;
        for (int index : byRequest) {
            Quantity request = request(containers.get(index), resource);
            if (!request.isZero()) {
                changed.set(index, with(containers.get(index), resource, lowered(request, missing)));
                missing = lowered(missing, request);
            }
        }
        return changed;
    }

    private static List<Container> atMost(List<Container> containers, String resource, Quantity most) {
        List<Container> changed = new ArrayList<>();
        for (Container container : containers) {
            boolean isLarger = request(container, resource).compareTo(most) > 0;
            changed.add(isLarger ? with(container, resource, most) : container);
        }
        return changed;
    }

    private static Quantity request(Container container, String resource) {
        return container.requests().getOrDefault(resource, Quantity.ZERO);
    }

    private static Container with(Container container, String resource, Quantity request) {
        Map<String, Quantity> requests = new HashMap<>(container.requests());
        requests.put(resource, request);
        return new Container(
                container.name(),
                container.image(),
                requests,
                container.limits(),
                container.hostPorts(),
                container.restartPolicy(),
                container.claims());
    }
}
