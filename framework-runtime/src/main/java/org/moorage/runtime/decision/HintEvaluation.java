// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.Hint;
import org.moorage.api.model.Pod;

/**
 * The effect of a change of the cluster on a rejected pod: the answer to "would this change requeue the pod, and
 * because of which plugin?". It has the hints of all plugins that registered one of the events; for a pod in the queue,
 * only the plugins that rejected it are called.
 *
 * @param events the events of the change, in the order in which the queue receives them; first those of a change of
 *     another pending pod, which the queue does not receive
 * @param hints the hints of the plugins, in the order of the events and of the profile
 * @param candidates the only pods for which a plugin's hint is called on the change, by plugin, for plugins with a
 *     pre-queueing hint
 */
public record HintEvaluation(
        List<ClusterEvent> events, List<PluginHint> hints, Map<String, Predicate<Pod>> candidates) {
    public HintEvaluation {
        events = List.copyOf(events);
        hints = List.copyOf(hints);
        candidates = Map.copyOf(candidates);
    }

    /**
     * The hint of one plugin for one event.
     *
     * @param plugin the plugin
     * @param event the event
     * @param hint the hint; {@link Hint#QUEUE} also if the plugin failed
     */
    public record PluginHint(String plugin, ClusterEvent event, Hint hint) {
        public PluginHint {
            Objects.requireNonNull(plugin, "plugin");
            Objects.requireNonNull(event, "event");
            Objects.requireNonNull(hint, "hint");
        }
    }

    /**
     * Returns whether the change would requeue a pod that this plugin rejected; empty if the plugin has no hint for it.
     */
    public Optional<Hint> of(String plugin) {
        Optional<Hint> found = Optional.empty();
        for (PluginHint hint : hints) {
            if (hint.plugin().equals(plugin) && !found.equals(Optional.of(Hint.QUEUE))) {
                found = Optional.of(hint.hint());
            }
        }
        return found;
    }
}
