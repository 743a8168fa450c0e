// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.EventType;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;

/** A cluster in memory, and a scheduler that only evaluates pods. */
final class ShadowedCluster implements AutoCloseable {
    private final InMemoryCluster cluster = InMemoryCluster.of(List.of());
    private final Scheduler scheduler;

    ShadowedCluster(LoadedConfig config, PluginRegistry registry) {
        scheduler = Scheduler.builder(config, registry, cluster).build();
        boolean isStarted = false;
        try {
            scheduler.start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                scheduler.close();
            }
        }
    }

    boolean isResponsible(Pod pod) {
        return scheduler.profileNames().contains(pod.spec().schedulerName());
    }

    int nodes() {
        return cluster.all(ObjectKind.NODE).size();
    }

    /** Returns the pod with the same name in this cluster. */
    Optional<Pod> find(Pod pod) {
        return cluster.find(ObjectKind.POD, pod.namespace(), pod.name());
    }

    /** Applies a change. */
    void apply(LiveChange change) {
        if (change.type() == EventType.DELETED) {
            cluster.find(change.kind(), change.namespace(), change.name()).ifPresent(cluster::remove);
        } else {
            change.object().ifPresent(cluster::apply);
        }
    }

    void apply(ClusterObject object) {
        cluster.apply(object);
    }

    /** Makes a bound pod pending again. */
    void unbind(Pod pod) {
        cluster.remove(pod);
        cluster.apply(pod.withoutNode());
    }

    /**
     * Returns the plugins' evaluation of a pod.
     *
     * @throws RuntimeException if a plugin fails
     */
    Evaluation evaluate(Pod pod) {
        return scheduler.evaluate(pod.withoutNode());
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
