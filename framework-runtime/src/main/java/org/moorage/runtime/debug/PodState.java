// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.debug;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;

/**
 * Where in a scheduler a pod is, and what it waits for.
 *
 * @param pod the pod, as the cluster told of it last
 * @param place where it is
 * @param queued how it waits in the queue; empty if it is not there
 * @param permits how long each plugin has it wait for a permit at most from now on, by the name of the plugin
 */
public record PodState(Pod pod, Place place, Optional<Queued> queued, Map<String, Duration> permits) {
    public PodState {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(place, "place");
        permits = Collections.unmodifiableMap(new TreeMap<>(permits));
    }

    /** Where a pod is. */
    public enum Place {
        /** It has a node. */
        BOUND,
        /** It has ended. */
        ENDED,
        /** No profile is responsible for it. */
        OTHER_SCHEDULER,
        /** It is in the queue. */
        QUEUED,
        /** It is being tried, or bound. */
        IN_FLIGHT,
        /** A node is chosen, and plugins have it wait for their permit. */
        WAITING_FOR_PERMIT,
        /** It is nowhere: it has only just come, or is about to go. */
        ELSEWHERE
    }

    /**
     * How a pod waits in the queue; a member of a pod group with all of its group.
     *
     * @param in {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}; a member of a pod group also {@code incomplete} or
     *     {@code pending}
     * @param since how long it has been in the queue since it came or was tried last
     * @param attempts how often it was tried
     * @param backoffLeft how long it backs off yet; zero if it does not
     * @param gate the answer of the PreEnqueue plugin that gates it
     * @param rejectors the plugins that rejected the last attempt
     * @param eventsByPlugin the events that each of these plugins waits for, in kube-scheduler's words, such as {@code NodeAdd}
     */
    public record Queued(
            String in,
            Duration since,
            int attempts,
            Duration backoffLeft,
            Optional<PluginStatus> gate,
            List<String> rejectors,
            Map<String, List<String>> eventsByPlugin) {
        public Queued {
            rejectors = List.copyOf(rejectors);
            Map<String, List<String>> events = new TreeMap<>();
            eventsByPlugin.forEach((plugin, ofPlugin) -> events.put(plugin, List.copyOf(ofPlugin)));
            eventsByPlugin = Collections.unmodifiableMap(events);
        }
    }

    /**
     * A pod that waits for an event.
     *
     * @param pod the pod
     * @param isGated whether a PreEnqueue plugin gates it
     * @param flushedAfter when it has waited so long that it is retried without an event
     */
    public record Unschedulable(Pod pod, boolean isGated, Instant flushedAfter) {}
}
