// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.TreeDecoder;

/**
 * The statuses of disruption budgets from manifests, as set by the disruption controller. The expected number of pods
 * of a controller is its {@code spec.replicas}; for a controller that is not among the objects, the number of its pods.
 */
public final class BudgetStatuses {
    // Kinds without a scale subresource: the controller reports an error.
    private static final Set<String> WITHOUT_SCALE = Set.of("batch/Job", "batch/CronJob", "apps/DaemonSet", "/Node");
    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,9})%");
    private static final String STATUS = "status";

    private final Map<ObjectKey, Integer> scales = new HashMap<>();
    private final Map<ObjectKey, ObjectKey> deployments = new HashMap<>();
    private final TreeDecoder decoder = new TreeDecoder();
    /** By namespace and labels, which decide together which budgets select a pod. */
    private Map<String, Map<Map<String, String>, List<Pod>>> podsByNamespace = Map.of();

    /** Creates the budgets of a cluster without objects; {@link #seen} adds them. */
    public BudgetStatuses() {}

    /** Returns whether an object is a budget without a status. */
    public static boolean isWithoutStatus(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        return key.group().equals("policy")
                && key.kind().equals("PodDisruptionBudget")
                && object.path(STATUS).isEmpty();
    }

    /** Takes note of what has replicas. */
    public void seen(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isPod()) {
            return;
        }
        JsonNode replicas = object.path("spec").path("replicas");
        boolean hasDefault = key.group().equals("apps") && !key.kind().equals("DaemonSet")
                || key.kind().equals("ReplicationController");
        if (replicas.isInt() || hasDefault) {
            scales.put(key, replicas.asInt(1));
        }
        if (key.kind().equals("ReplicaSet")) {
            OwnedPods.controllerOf(object).ifPresent(owner -> deployments.put(key, owner));
        }
    }

    /** Receives all objects of the cluster, before the first budget is {@linkplain #complete completed}. */
    public void seen(List<ClusterObject> objects) {
        podsByNamespace = new HashMap<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod) {
                podsByNamespace
                        .computeIfAbsent(pod.namespace(), any -> new HashMap<>())
                        .computeIfAbsent(pod.labels(), any -> new ArrayList<>())
                        .add(pod);
            }
        }
    }

    /**
     * Sets the status of a budget, in place.
     *
     * @throws org.moorage.objects.ClusterFileException if its limit is neither a number nor a percentage
     * @throws org.moorage.objects.ObjectDecodeException if a value has the wrong type
     */
    public void complete(ObjectNode object) {
        PodDisruptionBudget budget = decoder.decode(ObjectKind.POD_DISRUPTION_BUDGET, object, KeptJson.NONE);
        List<Pod> pods = new ArrayList<>();
        for (List<Pod> labelled : podsByNamespace
                .getOrDefault(budget.metadata().namespace(), Map.of())
                .values()) {
            if (budget.selects(labelled.get(0))) {
                pods.addAll(labelled);
            }
        }
        int healthy = 0;
        for (Pod pod : pods) {
            healthy += isHealthy(pod) ? 1 : 0;
        }
        Fields spec = Fields.of(object).struct("spec");
        ObjectNode status = Fields.of(object).struct(STATUS).node();
        boolean isAtMost = !spec.isAbsent("maxUnavailable");
        String field = isAtMost ? "maxUnavailable" : "minAvailable";
        JsonNode amount = spec.node().path(field);
        boolean isOfScale = isAtMost || amount.isTextual();
        OptionalInt expected = isOfScale ? scale(pods) : OptionalInt.of(pods.size());
        if (expected.isEmpty() || Fields.isAbsent(amount)) {
            status.put("disruptionsAllowed", 0);
            return;
        }
        int given = amount(spec, field, expected.getAsInt());
        int desired = isAtMost ? Math.max(0, expected.getAsInt() - given) : given;
        status.put("disruptionsAllowed", expected.getAsInt() <= 0 ? 0 : Math.max(0, healthy - desired));
        status.put("currentHealthy", healthy).put("desiredHealthy", desired).put("expectedPods", expected.getAsInt());
    }

    private static int amount(Fields spec, String field, int expected) {
        JsonNode amount = spec.node().path(field);
        if (amount.isInt() && amount.asInt() >= 0) {
            return amount.asInt();
        }
        Matcher percent = PERCENT.matcher(amount.asText(""));
        if (!percent.matches()) {
            throw spec.wrong(field, amount, "a number of pods, or a percentage such as 50%");
        }
        long share = Long.parseLong(percent.group(1)) * expected;
        return (int) Math.min(Integer.MAX_VALUE, (share + 99) / 100);
    }

    // Returns empty if the controller does not know the scale.
    private OptionalInt scale(List<Pod> pods) {
        Map<ObjectKey, Integer> byController = new LinkedHashMap<>();
        Map<ObjectKey, Integer> podCounts = new HashMap<>();
        for (Pod pod : pods) {
            Optional<OwnerReference> owner = pod.metadata().controller();
            if (owner.isEmpty()) {
                continue;
            }
            ObjectKey key = key(owner.get(), pod.namespace());
            if (WITHOUT_SCALE.contains(key.group() + "/" + key.kind())) {
                return OptionalInt.empty();
            }
            podCounts.merge(key, pod.status().isTerminal() ? 0 : 1, Integer::sum);
            byController.put(key, 0);
        }
        Map<ObjectKey, Integer> scaleOf = new LinkedHashMap<>();
        for (ObjectKey key : byController.keySet()) {
            ObjectKey deployment = deployments.getOrDefault(key, key);
            ObjectKey known = scales.containsKey(deployment) ? deployment : key;
            scaleOf.put(known, scales.getOrDefault(known, podCounts.getOrDefault(key, 0)));
        }
        long sum = 0;
        for (int scale : scaleOf.values()) {
            sum += scale;
        }
        return OptionalInt.of((int) Math.min(Integer.MAX_VALUE, sum));
    }

    private static ObjectKey key(OwnerReference owner, String namespace) {
        return new ObjectKey(ObjectKind.groupOf(owner.apiVersion()), owner.kind(), namespace, owner.name());
    }

    /**
     * Returns whether a pod with a node counts as healthy for budgets: its condition Ready is true. A manifest has no
     * conditions; its pod counts as healthy unless its phase differs from Running.
     */
    public static boolean isHealthy(Pod pod) {
        if (!pod.isBound() || pod.status().isTerminal() || pod.metadata().isDeleting()) {
            return false;
        }
        Optional<PodCondition> ready = pod.status().condition("Ready");
        if (ready.isPresent()) {
            return ready.get().status().equals("True");
        }
        String phase = pod.status().phase();
        return pod.status().conditions().isEmpty() && (phase.isEmpty() || phase.equals("Running"));
    }

    /** Returns whether a pod has not started yet: its eviction is never refused. */
    public static boolean isStarting(Pod pod) {
        return pod.status().phase().equals("Pending");
    }
}
