// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;

/**
 * A resource with the unit and the minimum demand that {@link PigeonHoling} uses for it.
 *
 * @param name its name
 * @param resource its name as a key of node resources
 * @param unit the number of Kubernetes units in one unit here
 * @param least the demand of a pod that requests none
 * @param originalBehavior whether usage comes from annotations, in whole units
 */
record PigeonResource(String name, ResourceName resource, long unit, double least, boolean originalBehavior) {
    /** The resources in the original's order. */
    static final List<String> NAMES = List.of("cpu", "memory", "pods", "nvidia.com/gpu", "ephemeral-storage");

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final String PODS = "pods";
    private static final String GPU = "nvidia.com/gpu";
    private static final String ORIGINAL_GPU = "gpu";
    private static final String STORAGE = "ephemeral-storage";

    static PigeonResource of(String name, boolean originalBehavior) {
        long unit = name.equals(MEMORY) ? 1L << 20 : name.equals(STORAGE) ? 1L << 30 : 1;
        double least = name.equals(CPU) ? 10 : name.equals(MEMORY) ? 16 : 0;
        return new PigeonResource(name, ResourceName.of(name), unit, least, originalBehavior);
    }

    /** Returns the demand of a pod. */
    double demand(Pod pod) {
        if (name.equals(PODS)) {
            return 1;
        }
        double wanted =
                originalBehavior ? ofContainers(pod) : (double) pod.requests().amount(resource) / unit;
        return wanted > 0 ? wanted : least;
    }

    // The original ignored init containers and overhead. It counted storage in bytes for pods but in GiB for nodes;
    // here both are in GiB.
    private double ofContainers(Pod pod) {
        long sum = 0;
        for (Container container : pod.spec().containers()) {
            Quantity requested = container.requests().getOrDefault(name, Quantity.ZERO);
            sum += name.equals(CPU) ? requested.milliValue() : requested.value();
        }
        long whole = name.equals(STORAGE) ? (sum + unit - 1) / unit : sum / unit;
        return whole;
    }

    /** Returns the capacity of a node. */
    double capacity(NodeInfo node) {
        if (name.equals(PODS)) {
            return node.allowedPods();
        }
        if (!originalBehavior) {
            return (double) node.allocatable(resource) / unit;
        }
        Quantity allocatable = node.node().allocatable().getOrDefault(name, Quantity.ZERO);
        return name.equals(CPU) ? allocatable.milliValue() : allocatable.value() / unit;
    }

    /** Returns the used part of a node's capacity. */
    double usage(NodeInfo node) {
        if (originalBehavior) {
            return annotated(node);
        }
        return name.equals(PODS) ? node.podCount() : (double) node.requested(resource) / unit;
    }

    private double annotated(NodeInfo node) {
        String text = node.node().metadata().annotations().get("requested-" + (name.equals(GPU) ? ORIGINAL_GPU : name));
        if (text == null) {
            return 0;
        }
        try {
            long whole = Math.max(Long.parseLong(text), 0) / unit;
            return whole;
        } catch (NumberFormatException notANumber) {
            return 0;
        }
    }
}
