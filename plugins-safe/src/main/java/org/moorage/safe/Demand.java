// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.List;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Resources;

/**
 * The requests of a pod.
 *
 * @param milliCpu in thousandths of a CPU
 * @param memory in bytes
 */
record Demand(long milliCpu, long memory) {
    static Demand of(Pod pod, boolean originalBehavior) {
        if (originalBehavior) {
            return original(pod);
        }
        Resources requests = pod.requests();
        return new Demand(requests.milliCpu(), requests.memory());
    }

    // The larger of the sum of the containers and the largest init container, where sidecars count as init containers;
    // no overhead.
    private static Demand original(Pod pod) {
        long cpu = 0;
        long memory = 0;
        for (Container container : pod.spec().containers()) {
            cpu += milliCpu(container);
            memory += memory(container);
        }
        List<Container> initContainers = pod.spec().initContainers();
        for (Container container : initContainers) {
            cpu = Math.max(cpu, milliCpu(container));
            memory = Math.max(memory, memory(container));
        }
        return new Demand(cpu, memory);
    }

    private static long milliCpu(Container container) {
        return container.requests().getOrDefault("cpu", Quantity.ZERO).milliValue();
    }

    private static long memory(Container container) {
        return container.requests().getOrDefault("memory", Quantity.ZERO).value();
    }
}
