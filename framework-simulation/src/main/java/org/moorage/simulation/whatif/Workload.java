// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Comparator;
import java.util.Objects;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;

/**
 * The workload that a pod belongs to: its controller, or the Deployment of a ReplicaSet that a Deployment made. A pod
 * without a controller is its own workload, of kind {@code Pod}. Workloads are ordered by namespace, kind and name.
 *
 * @param namespace the namespace
 * @param kind the kind, such as {@code Deployment}
 * @param name the name
 */
public record Workload(String namespace, String kind, String name) implements Comparable<Workload> {
    private static final String TEMPLATE_HASH = "pod-template-hash";
    private static final Comparator<Workload> ORDER = Comparator.comparing(Workload::namespace)
            .thenComparing(Workload::kind)
            .thenComparing(Workload::name);

    public Workload {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
    }

    /** Returns the workload of a pod. */
    public static Workload of(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        if (pod.metadata().controller().isEmpty()) {
            return new Workload(pod.namespace(), "Pod", pod.name());
        }
        OwnerReference controller = pod.metadata().controller().get();
        String hash = pod.labels().getOrDefault(TEMPLATE_HASH, "");
        boolean isOfDeployment = controller.kind().equals("ReplicaSet")
                && !hash.isEmpty()
                && controller.name().endsWith("-" + hash);
        return isOfDeployment
                ? new Workload(
                        pod.namespace(),
                        "Deployment",
                        controller.name().substring(0, controller.name().length() - hash.length() - 1))
                : new Workload(pod.namespace(), controller.kind(), controller.name());
    }

    /** Returns the namespace and the name. */
    public String key() {
        return namespace + "/" + name;
    }

    @Override
    public int compareTo(Workload other) {
        return ORDER.compare(this, other);
    }

    /** Returns the kind, the namespace and the name, such as {@code Deployment default/web}. */
    @Override
    public String toString() {
        return kind + " " + namespace + "/" + name;
    }
}
