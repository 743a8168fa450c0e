// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.Pod;

/** A pod that plugins have wait before it is bound. Only the first of allowing, rejecting and preempting it counts. */
public interface WaitingPod {
    /** The pod, with its chosen node. */
    Pod pod();

    /** The names of the plugins that it still waits for. */
    Set<String> pendingPlugins();

    /**
     * How long each plugin has it wait at most from now on, by the name of the plugin; then it is rejected in the name of that one. Of the
     * plugins in {@link #pendingPlugins()}.
     */
    Map<String, Duration> timeLeft();

    /** Says that a plugin no longer has the pod wait. When none is left, the pod is bound. */
    void allow(String plugin);

    /** Rejects the pod in the name of a plugin. It is unschedulable for now. */
    void reject(String plugin, String message);

    /**
     * Ends the wait of the pod in the name of a plugin. Unlike a rejected pod it is retried after its backoff.
     *
     * @return whether this was the first, so that the pod is not bound
     */
    boolean preempt(String plugin, String message);
}
