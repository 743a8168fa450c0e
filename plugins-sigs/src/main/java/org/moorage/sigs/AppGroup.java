// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;

/**
 * A group of workloads that communicate with each other.
 *
 * @param dependencies the dependencies of all workloads
 * @param order the order in which the workloads should be scheduled, as its controller wrote it
 */
record AppGroup(List<Dependency> dependencies, List<Place> order) {
    static final ObjectKind<OtherObject> KIND =
            ObjectKind.other("appgroup.diktyo.x-k8s.io/v1alpha1", "AppGroup", "appgroups", true);

    private static final String GROUP_LABEL = "appgroup.diktyo.x-k8s.io";
    private static final String WORKLOAD_LABEL = "appgroup.diktyo.x-k8s.io.workload";
    private static final int UNORDERED = -1;

    /**
     * A dependency of one workload on another.
     *
     * @param from the selector of the workload that depends
     * @param to the selector of the workload that it depends on
     * @param maxNetworkCost the highest cost of the network between them
     */
    record Dependency(String from, String to, long maxNetworkCost) {}

    /**
     * The place of a workload in the order.
     *
     * @param selector the selector of the workload
     * @param index the place
     */
    record Place(String selector, long index) {}

    /**
     * Reads an object.
     *
     * @throws IllegalArgumentException if a field has the wrong type
     */
    static AppGroup of(OtherObject object) {
        ObjectFields fields = object.fields();
        List<Dependency> dependencies = new ArrayList<>();
        for (ObjectFields workload : fields.objects("spec", "workloads")) {
            String from = selector(workload);
            for (ObjectFields dependency : workload.objects("dependencies")) {
                dependencies.add(new Dependency(
                        from,
                        selector(dependency),
                        dependency.integer("maxNetworkCost").orElse(0)));
            }
        }
        List<Place> order = new ArrayList<>();
        for (ObjectFields place : fields.objects("status", "topologyOrder")) {
            order.add(new Place(selector(place), place.integer("index").orElse(0)));
        }
        return new AppGroup(List.copyOf(dependencies), List.copyOf(order));
    }

    private static String selector(ObjectFields fields) {
        return fields.string("workload", "selector").orElse("");
    }

    /** Returns the group of a pod by its label; empty if it is in none. */
    static String groupOf(Pod pod) {
        return pod.labels().getOrDefault(GROUP_LABEL, "");
    }

    /** Returns the selector of the workload that a pod belongs to, by its label; empty if it has none. */
    static String workloadOf(Pod pod) {
        return pod.labels().getOrDefault(WORKLOAD_LABEL, "");
    }

    /** Returns the first object with a name in these namespaces. */
    static <T> Optional<T> find(TypedResources<T> objects, List<String> namespaces, String name) {
        for (String namespace : namespaces) {
            Optional<T> found = objects.get(namespace, name);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Returns the dependencies of the workload with a selector. */
    List<Dependency> dependenciesOf(String workload) {
        List<Dependency> found = new ArrayList<>();
        for (Dependency dependency : dependencies) {
            if (dependency.from().equals(workload)) {
                found.add(dependency);
            }
        }
        return found;
    }

    /**
     * Returns the place of a workload in the order; -1 if it is not listed. The list is searched as if it was sorted by
     * selector, which its controller sees to.
     */
    long placeOf(String workload) {
        int at = Sorted.indexOf(order, Place::selector, workload);
        return at < 0 ? UNORDERED : order.get(at).index();
    }
}
