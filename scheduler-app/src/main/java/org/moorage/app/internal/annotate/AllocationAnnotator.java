// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.cluster.ClusterException;

/**
 * Writes what pods request on each node that is ready, and what that leaves free: {@code requested-cpu} and
 * {@code free-cpu} in thousandths, the same for {@code memory} and {@code ephemeral-storage} in bytes, {@code pods} and
 * {@code gpu}.
 *
 * <p>Pods count from when they are bound until they end, with init containers and overhead, as kube-scheduler counts
 * them. With {@code runningOnly} it is as kube-safe-scheduler's k8s-assessor did it: the containers of pods in phase
 * Running.
 */
public final class AllocationAnnotator implements NodeAnnotator {
    private static final String PODS = "pods";
    /** The annotations' names of resources, and the resources. */
    private static final Map<String, String> RESOURCES = resources();

    private final ClusterNodes cluster;
    private final boolean runningOnly;

    /** An annotator of a cluster's nodes. */
    public AllocationAnnotator(ClusterNodes cluster, boolean runningOnly) {
        this.cluster = cluster;
        this.runningOnly = runningOnly;
    }

    private static Map<String, String> resources() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("cpu", "cpu");
        names.put("memory", "memory");
        names.put(PODS, PODS);
        names.put("gpu", "nvidia.com/gpu");
        names.put("ephemeral-storage", "ephemeral-storage");
        return names;
    }

    @Override
    public int annotate(Lines out) {
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : cluster.boundPods()) {
            boolean counts = runningOnly
                    ? pod.status().phase().equals("Running")
                    : !pod.status().isTerminal();
            if (counts) {
                podsByNode
                        .computeIfAbsent(pod.nodeName(), any -> new ArrayList<>())
                        .add(pod);
            }
        }
        int failures = 0;
        for (Node node : cluster.nodes()) {
            if (!"True".equals(node.conditions().get("Ready"))) {
                out.done(node.name() + ": not Ready, so its annotations stay as they are");
                continue;
            }
            try {
                out.done(annotate(node, podsByNode.getOrDefault(node.name(), List.of())));
            } catch (ClusterException failed) {
                out.failed(String.valueOf(failed.getMessage()));
                failures++;
            }
        }
        return failures;
    }

    private String annotate(Node node, List<Pod> pods) {
        Map<String, Optional<String>> annotations = new LinkedHashMap<>();
        StringBuilder line = new StringBuilder(node.name()).append(":");
        RESOURCES.forEach((name, resource) -> {
            long capacity = amount(resource, node.allocatable());
            // Several pods may each request the largest number, so a sum of long values could overflow.
            Quantity sum = Quantity.ZERO;
            for (Pod pod : pods) {
                sum = sum.plus(Quantity.of(requested(resource, pod)));
            }
            long requested = sum.value();
            long free = Math.max(capacity - requested, 0);
            annotations.put("requested-" + name, Optional.of(Long.toString(requested)));
            annotations.put("free-" + name, Optional.of(Long.toString(free)));
            line.append("  ")
                    .append(name)
                    .append("=[")
                    .append(capacity)
                    .append(", ")
                    .append(requested);
            line.append(", ").append(free).append("];");
        });
        cluster.annotate(node.name(), annotations);
        return line.toString();
    }

    private long requested(String resource, Pod pod) {
        if (resource.equals(PODS)) {
            return 1;
        }
        if (!runningOnly) {
            return pod.requests().amount(ResourceName.of(resource));
        }
        Quantity sum = Quantity.ZERO;
        for (Container container : pod.spec().containers()) {
            sum = sum.plus(Quantity.of(amount(resource, container.requests())));
        }
        return sum.value();
    }

    private static long amount(String resource, Map<String, Quantity> quantities) {
        Quantity quantity = quantities.getOrDefault(resource, Quantity.ZERO);
        return resource.equals("cpu") ? quantity.milliValue() : quantity.value();
    }
}
