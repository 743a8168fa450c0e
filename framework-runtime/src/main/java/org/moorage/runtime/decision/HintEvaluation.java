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
 * What a change of the cluster means for a rejected pod: the answer to "would this change have the pod tried again, and which
 * plugin says so?". Every plugin that registered one of the events is asked; of a pod in the queue, only those that rejected
 * it are.
 *
 * @param events the events that the change is, in the order in which the queue is told of them; those of a change of another
 *     waiting pod, which it is not told of, first
 * @param hints the plugins' answers, in the order of the events and of the profile
 * @param candidates the only pods that a plugin looks at for the change, by its name, where plugins are asked so beforehand
 */
public record HintEvaluation(
        List<ClusterEvent> events, List<PluginHint> hints, Map<String, Predicate<Pod>> candidates) {
    public HintEvaluation {
        events = List.copyOf(events);
        hints = List.copyOf(hints);
        candidates = Map.copyOf(candidates);
    }

    /**
     * One answer.
     *
     * @param plugin who answered
     * @param event the event that it was asked about
     * @param hint the answer; {@link Hint#QUEUE} also if the plugin failed
     */
    public record PluginHint(String plugin, ClusterEvent event, Hint hint) {
        public PluginHint {
            Objects.requireNonNull(plugin, "plugin");
            Objects.requireNonNull(event, "event");
            Objects.requireNonNull(hint, "hint");
        }
    }

    /** Whether the change would have a pod tried again that this plugin rejected; empty if the plugin is not asked. */
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
