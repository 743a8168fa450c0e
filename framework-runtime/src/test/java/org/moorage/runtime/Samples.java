// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.List;
import java.util.Map;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;

/** Pods and nodes for the runtime's own tests, which cannot use the test kit because that is made of the runtime. */
public final class Samples {
    private Samples() {}

    public static Node node(String name) {
        return node(name, Map.of());
    }

    public static Node node(String name, Map<String, String> labels) {
        return Node.of(ObjectMeta.named(name).uid("node-" + name).labels(labels).build())
                .allocatable(Map.of("cpu", Quantity.of(4), "memory", Quantity.of(8L << 30), "pods", Quantity.of(110)))
                .build();
    }

    public static Pod pod(String name) {
        return pod(name, PodSpec.builder());
    }

    public static Pod pod(String name, PodSpec.Builder spec) {
        return Pod.of(
                ObjectMeta.named(name).namespace("default").uid("pod-" + name).build(), spec.build());
    }

    public static PodSpec.Builder requesting(long milliCpu, long memory) {
        return PodSpec.builder()
                .containers(List.of(new Container(
                        "main",
                        "app",
                        Map.of("cpu", Quantity.ofMilli(milliCpu), "memory", Quantity.of(memory)),
                        Map.of(),
                        List.of(),
                        "")));
    }
}
