// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.LabelMatcher;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ObjectLister;

/** The label selector that default constraints get: that of the services and of the controller of the pod. */
final class DefaultSelector {
    private final ObjectLister<Service> services;
    private final ObjectLister<ReplicationController> replicationControllers;
    private final ObjectLister<ReplicaSet> replicaSets;
    private final ObjectLister<StatefulSet> statefulSets;

    DefaultSelector(Handle handle) {
        services = handle.cluster().lister(ObjectKind.SERVICE);
        replicationControllers = handle.cluster().lister(ObjectKind.REPLICATION_CONTROLLER);
        replicaSets = handle.cluster().lister(ObjectKind.REPLICA_SET);
        statefulSets = handle.cluster().lister(ObjectKind.STATEFUL_SET);
    }

    /** Returns the selector of a pod; matches everything if the pod has neither services nor a known controller. */
    LabelMatcher of(Pod pod) {
        Map<String, String> labels = new HashMap<>();
        for (Service service : services.in(pod.namespace())) {
            if (LabelMatcher.of(service.selector()).matches(pod.labels())) {
                labels.putAll(service.selector());
            }
        }
        Optional<OwnerReference> controller = pod.metadata().controller();
        if (controller.isEmpty()) {
            return LabelMatcher.of(labels);
        }
        String name = controller.get().name();
        return switch (controller.get().apiVersion() + " " + controller.get().kind()) {
            case "v1 ReplicationController" -> {
                replicationControllers.get(pod.namespace(), name).ifPresent(found -> labels.putAll(found.selector()));
                yield LabelMatcher.of(labels);
            }
            case "apps/v1 ReplicaSet" ->
                and(labels, replicaSets.get(pod.namespace(), name).flatMap(ReplicaSet::selector));
            case "apps/v1 StatefulSet" ->
                and(labels, statefulSets.get(pod.namespace(), name).flatMap(StatefulSet::selector));
            default -> LabelMatcher.of(labels);
        };
    }

    private static LabelMatcher and(Map<String, String> labels, Optional<LabelSelector> selector) {
        LabelMatcher serviceSelector = LabelMatcher.of(labels);
        return selector.isEmpty() ? serviceSelector : serviceSelector.and(LabelMatcher.of(selector.get()));
    }
}
