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
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.QueueingHintMap.QueueingHintFunction;
import org.moorage.runtime.metrics.SchedulerMetrics;

/** The pods that an event may make schedulable, as far as plugins have said so beforehand. */
final class Candidates {
    private static final Log LOG = Log.of(Candidates.class);
    private static final Candidates ALL = new Candidates(Map.of());

    // Without an entry all pods are.
    private final Map<String, Predicate<Pod>> byPlugin;

    private Candidates(Map<String, Predicate<Pod>> byPlugin) {
        this.byPlugin = byPlugin;
    }

    /** All pods. */
    static Candidates all() {
        return ALL;
    }

    /** Those of an event: all if a plugin says so, fails, or none says anything. A plugin that fails for a pod takes it to be one. */
    static Candidates of(
            List<QueueingHintFunction> functions,
            ClusterEvent event,
            ObjectChange<Object> change,
            SchedulerMetrics metrics) {
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
            metrics.preHintRan(function.plugin(), candidates.isPresent());
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

    /** Whether any plugin is to be asked about the pod. */
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

    /** Whether this plugin is to be asked about a pod that is one of them. */
    boolean isAsked(String plugin, Pod pod) {
        Predicate<Pod> candidates = byPlugin.get(plugin);
        return candidates == null || candidates.test(pod);
    }
}
