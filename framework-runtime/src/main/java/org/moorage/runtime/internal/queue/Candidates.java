// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.QueueingHintMap.QueueingHintFunction;

/** The pods that an event may make schedulable, as selected by pre-queueing hints of plugins. */
final class Candidates {
    private static final Log LOG = Log.of(Candidates.class);
    private static final Candidates ALL = new Candidates(Map.of());

    // Without an entry, all pods are candidates.
    private final Map<String, Predicate<Pod>> byPlugin;

    private Candidates(Map<String, Predicate<Pod>> byPlugin) {
        this.byPlugin = byPlugin;
    }

    /** Returns candidates that contain all pods. */
    static Candidates all() {
        return ALL;
    }

    /**
     * Returns the candidates of an event: all pods if a pre-queueing hint selects all or fails, or if there is none. If
     * a predicate fails for a pod, the pod is a candidate.
     */
    static Candidates of(
            List<QueueingHintFunction> functions,
            ClusterEvent event,
            ObjectChange<Object> change,
            Listeners listeners) {
        Map<String, Predicate<Pod>> byPlugin = new HashMap<>();
        for (QueueingHintFunction function : functions) {
            if (function.preHint().isEmpty()) {
                continue;
            }
            Optional<Predicate<Pod>> candidates;
            try {
                candidates = function.preHint().get().candidates(change);
            } catch (PluginFailure failure) {
                log(failure, function, event).log("PreQueueingHintFn failed, falling back to evaluate all pods");
                return ALL;
            }
            listeners.measure(listener -> listener.preHintRan(function.plugin(), candidates.isPresent()));
            if (candidates.isEmpty()) {
                return ALL;
            }
            byPlugin.merge(function.plugin(), orFailing(candidates.get(), function, event), Predicate::or);
        }
        return new Candidates(byPlugin);
    }

    private static Predicate<Pod> orFailing(
            Predicate<Pod> candidates, QueueingHintFunction function, ClusterEvent event) {
        return pod -> {
            try {
                return candidates.test(pod);
            } catch (PluginFailure failure) {
                log(failure, function, event)
                        .addKeyValue("pod", pod)
                        .log("PreQueueingHintFn failed for a pod; the plugin is asked about it");
                return true;
            }
        };
    }

    private static Log.Line log(PluginFailure failure, QueueingHintFunction function, ClusterEvent event) {
        return LOG.atError()
                .setCause(failure)
                .addKeyValue("plugin", function.plugin())
                .addKeyValue("event", event);
    }

    Map<String, Predicate<Pod>> byPlugin() {
        return byPlugin;
    }

    /** Returns whether the hint of any plugin must be called for the pod. */
    boolean contains(Pod pod) {
        if (byPlugin.isEmpty()) {
            return true;
        }
        for (Predicate<Pod> candidates : byPlugin.values()) {
            if (candidates.test(pod)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the hint of this plugin must be called for a pod that is a candidate. */
    boolean isAsked(String plugin, Pod pod) {
        Predicate<Pod> candidates = byPlugin.get(plugin);
        return candidates == null || candidates.test(pod);
    }
}
