// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.moorage.api.event.ClusterEvent;

/** Is told what goes on in the scheduling queue, for metrics. Called under the queue's lock, so it must be quick. */
public interface QueueObserver {
    /** Observes nothing. */
    QueueObserver NONE = new QueueObserver() {};

    /** The result of a queueing hint that threw. The others are those of {@link org.moorage.api.event.Hint}. */
    String HINT_ERROR = "Error";

    /**
     * A pod came to a place, or was popped from the backoff queue as if it had come to the active one first.
     *
     * @param place the place, never in flight
     * @param event the label of what brought it there
     */
    default void incoming(SubQueue place, String event) {}

    /**
     * A plugin was asked for its queueing hint.
     *
     * @param plugin the plugin
     * @param event what had happened
     * @param result its answer, in the words of kube-scheduler's metrics
     * @param nanos how long it took, in nanoseconds
     */
    default void hinted(String plugin, ClusterEvent event, String result, long nanos) {}

    /**
     * More or fewer pods are in the queue because of a plugin's rejection.
     *
     * @param profile the pods' scheduler name
     * @param plugin the plugin
     * @param change 1 or -1
     */
    default void rejected(String profile, String plugin, int change) {}

    /**
     * More or fewer events are kept for pods in flight.
     *
     * @param event the label of the event
     * @param change 1 or -1
     */
    default void keptInFlight(String event, int change) {}
}
