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
 * The state of a pod in a scheduler, and the reasons why it is pending.
 *
 * @param pod the pod, as the cluster last reported it
 * @param place where it is
 * @param queued its state in the queue; empty if it is not queued
 * @param permits the remaining time until the permit timeout of each plugin, by plugin name
 */
public record PodState(Pod pod, Place place, Optional<Queued> queued, Map<String, Duration> permits) {
    public PodState {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(place, "place");
        permits = Collections.unmodifiableMap(new TreeMap<>(permits));
    }

    /** The part of the scheduler that a pod is in. */
    public enum Place {
        /** It is bound. */
        BOUND,
        /** It has terminated. */
        ENDED,
        /** No profile is responsible for it. */
        OTHER_SCHEDULER,
        /** It is in the queue. */
        QUEUED,
        /** It is being tried or bound. */
        IN_FLIGHT,
        /** A node is chosen, and the pod waits for permits of plugins. */
        WAITING_FOR_PERMIT,
        /** It is in no part of the scheduler: it has just arrived, or is about to leave. */
        ELSEWHERE
    }

    /**
     * The state of a queued pod; for a member of a pod group that of its group.
     *
     * @param in {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}; a member of a pod group also
     *     {@code incomplete} or {@code pending}
     * @param since the time in the queue since it was added or last tried
     * @param attempts how often it was tried
     * @param backoffLeft the remaining backoff; zero if it is not in backoff
     * @param gate the status of the PreEnqueue plugin that gates it
     * @param rejectors the plugins that rejected the last attempt
     * @param eventsByPlugin the events that each of these plugins waits for, with kube-scheduler's labels, such as
     *     {@code NodeAdd}
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
     * An unschedulable or gated pod.
     *
     * @param pod the pod
     * @param isGated whether a PreEnqueue plugin gates it
     * @param flushedAfter the time after which it is retried without an event
     */
    public record Unschedulable(Pod pod, boolean isGated, Instant flushedAfter) {}
}
