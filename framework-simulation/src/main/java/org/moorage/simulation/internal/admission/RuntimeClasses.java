// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Quantity;
import org.moorage.objects.tree.Fields;

/** The runtime classes of a cluster, and their admission rules. Safe for use by several threads. */
final class RuntimeClasses {
    private static final String NAME = "runtimeClassName";
    private static final String OVERHEAD = "overhead";

    record Scheduling(Map<String, String> nodeSelector, List<Toleration> tolerations) {}

    /** The overhead and the scheduling constraints that a runtime class adds to pods. */
    record RuntimeClass(Optional<Map<String, WrittenQuantity>> overhead, Optional<Scheduling> scheduling) {}

    record Toleration(
            String key,
            String operator,
            String value,
            String effect,
            @Nullable Long tolerationSeconds) {
        static Toleration of(Fields toleration) {
            JsonNode node = toleration.node();
            return new Toleration(
                    node.path("key").asText(""),
                    node.path("operator").asText(""),
                    node.path("value").asText(""),
                    node.path("effect").asText(""),
                    toleration.isAbsent("tolerationSeconds")
                            ? null
                            : (Long) node.path("tolerationSeconds").asLong());
        }

        void addTo(ArrayNode list) {
            ObjectNode toleration = list.addObject();
            put(toleration, "key", key);
            put(toleration, "operator", operator);
            put(toleration, "value", value);
            put(toleration, "effect", effect);
            if (tolerationSeconds != null) {
                toleration.put("tolerationSeconds", tolerationSeconds);
            }
        }

        private static void put(ObjectNode toleration, String field, String text) {
            if (!text.isEmpty()) {
                toleration.put(field, text);
            }
        }

        // As in kube-apiserver; a toleration with an operator that is unknown here covers only equal ones.
        boolean covers(Toleration other) {
            if (equals(other)) {
                return true;
            }
            boolean isOfKey = key.equals(other.key) || key.isEmpty() && operator.equals("Exists");
            boolean isOfEffect = effect.isEmpty() || effect.equals(other.effect);
            boolean isAsLong = !effect.equals("NoExecute")
                    || tolerationSeconds == null
                    || other.tolerationSeconds != null && other.tolerationSeconds <= tolerationSeconds;
            return isOfKey && isOfEffect && isAsLong && coversValue(other);
        }

        private boolean coversValue(Toleration other) {
            return switch (operator) {
                case "Exists" -> true;
                case "", "Equal" -> other.operator.equals("Equal") && other.value.equals(value);
                default -> false;
            };
        }
    }

    private final Map<String, RuntimeClass> byName = new ConcurrentSkipListMap<>();

    void seen(Fields runtimeClass, String name) {
        Optional<Map<String, WrittenQuantity>> overhead =
                runtimeClass.pointer(OVERHEAD).map(parent -> WrittenQuantity.list(parent, "podFixed"));
        byName.put(
                name,
                new RuntimeClass(overhead, runtimeClass.pointer("scheduling").map(RuntimeClasses::scheduling)));
    }

    private static Scheduling scheduling(Fields scheduling) {
        Map<String, String> nodeSelector = new HashMap<>();
        scheduling
                .pointer("nodeSelector")
                .ifPresent(labels -> labels.node()
                        .properties()
                        .forEach(label -> nodeSelector.put(
                                label.getKey(), label.getValue().asText(""))));
        return new Scheduling(
                nodeSelector,
                scheduling.each("tolerations").stream().map(Toleration::of).toList());
    }

    void gone(String name) {
        byName.remove(name);
    }

    /**
     * Checks that the runtime class of a pod exists.
     *
     * @throws org.moorage.objects.ClusterFileException if it does not
     */
    void require(Fields spec) {
        JsonNode name = spec.node().path(NAME);
        if (!Fields.isAbsent(name) && !byName.containsKey(name.asText(""))) {
            throw spec.wrong(
                    NAME,
                    name,
                    byName.isEmpty()
                            ? "a RuntimeClass of that name among the objects"
                            : "the name of a RuntimeClass among the objects: " + String.join(", ", byName.keySet()));
        }
    }

    /** The class of a pod, if it names one. */
    Optional<RuntimeClass> of(NewObject pod) {
        Fields spec = pod.spec();
        if (spec.isAbsent(NAME)) {
            return Optional.empty();
        }
        String name = spec.node().path(NAME).asText("");
        RuntimeClass found = byName.get(name);
        if (found == null) {
            throw pod.forbidden("pod rejected: RuntimeClass \"" + name + "\" not found");
        }
        return Optional.of(found);
    }

    /** Sets the overhead, the node selector and the tolerations of the class in a pod. */
    static void apply(NewObject pod, RuntimeClass ofPod) {
        ofPod.overhead().ifPresent(overhead -> setOverhead(pod, overhead));
        ofPod.scheduling().ifPresent(scheduling -> setScheduling(pod, scheduling));
    }

    private static void setOverhead(NewObject pod, Map<String, WrittenQuantity> overhead) {
        if (!pod.spec().isEmpty(OVERHEAD) && !isOverhead(pod, overhead)) {
            throw pod.forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        }
        ObjectNode list = pod.spec().node().putObject(OVERHEAD);
        overhead.forEach((name, amount) -> list.set(name, amount.node()));
    }

    private static boolean isOverhead(NewObject pod, Map<String, WrittenQuantity> overhead) {
        return amounts(WrittenQuantity.list(pod.spec(), OVERHEAD)).equals(amounts(overhead));
    }

    private static Map<String, Quantity> amounts(Map<String, WrittenQuantity> written) {
        Map<String, Quantity> amounts = new HashMap<>();
        written.forEach((name, quantity) -> amounts.put(name, quantity.amount()));
        return amounts;
    }

    private static void setScheduling(NewObject pod, Scheduling scheduling) {
        ObjectNode selector = pod.spec().struct("nodeSelector").node();
        scheduling.nodeSelector().forEach((key, value) -> {
            JsonNode own = selector.path(key);
            if (!own.isMissingNode() && !own.asText().equals(value)) {
                throw pod.forbidden("conflict: runtimeClass.scheduling.nodeSelector[" + key + "] = " + value
                        + "; pod.spec.nodeSelector[" + key + "] = " + own.asText());
            }
            selector.put(key, value);
        });
        List<Toleration> all = new ArrayList<>();
        pod.spec().each("tolerations").forEach(toleration -> all.add(Toleration.of(toleration)));
        all.addAll(scheduling.tolerations());
        ArrayNode merged = pod.spec().node().putArray("tolerations");
        needed(all).forEach(toleration -> toleration.addTo(merged));
    }

    // Removes tolerations that others cover; of equal tolerations, the first is kept.
    private static List<Toleration> needed(List<Toleration> all) {
        List<Toleration> needed = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Toleration toleration = all.get(i);
            boolean isCovered = needed.stream().anyMatch(earlier -> earlier.covers(toleration))
                    || all.subList(i + 1, all.size()).stream()
                            .anyMatch(later -> !later.equals(toleration) && later.covers(toleration));
            if (!isCovered) {
                needed.add(toleration);
            }
        }
        return needed;
    }

    /** Refuses a pod with an overhead that its class does not have. */
    static void check(NewObject pod, Optional<RuntimeClass> ofPod) {
        if (ofPod.flatMap(RuntimeClass::overhead).isEmpty() && !pod.spec().isAbsent(OVERHEAD)) {
            throw pod.forbidden("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
        }
    }
}
