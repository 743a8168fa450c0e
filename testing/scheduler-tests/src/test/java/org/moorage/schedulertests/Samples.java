// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests;

import java.util.Map;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;

/** Pods that ask for nothing, and nodes with room for some. */
public final class Samples {
    private Samples() {}

    /** A node with 4 CPUs, 8 GiB and room for 110 pods. */
    public static Node node(String name) {
        return Node.of(ObjectMeta.named(name).uid("node-" + name).build())
                .allocatable(Map.of("cpu", Quantity.of(4), "memory", Quantity.of(8L << 30), "pods", Quantity.of(110)))
                .build();
    }

    /** A pod of the namespace {@code default}. */
    public static Pod pod(String name) {
        return pod(name, PodSpec.builder());
    }

    /** A pod of the namespace {@code default}. */
    public static Pod pod(String name, PodSpec.Builder spec) {
        return Pod.of(
                ObjectMeta.named(name).namespace("default").uid("pod-" + name).build(), spec.build());
    }
}
