// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.Container;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;

/**
 * The requests of a pod as scheduler-plugins counts them: for each resource, the larger of the sum over the containers
 * and the largest init container, plus the pod's overhead. Restartable init containers count like other init
 * containers, which is less than kube-scheduler and the kubelet count.
 */
final class EffectiveResources {
    private EffectiveResources() {}

    /** Returns the requests by resource, including those of 0. */
    static Map<String, Quantity> requests(PodSpec spec) {
        List<Container> containers = spec.containers();
        if (containers.size() == 1
                && spec.initContainers().isEmpty()
                && spec.overhead().isEmpty()) {
            return containers.get(0).requests();
        }
        Map<String, Quantity> total = new HashMap<>();
        for (Container container : containers) {
            container.requests().forEach((resource, amount) -> total.merge(resource, amount, Quantity::plus));
        }
        for (Container container : spec.initContainers()) {
            container.requests().forEach((resource, amount) -> total.merge(resource, amount, Quantity::max));
        }
        spec.overhead().forEach((resource, amount) -> total.merge(resource, amount, Quantity::plus));
        return total;
    }
}
