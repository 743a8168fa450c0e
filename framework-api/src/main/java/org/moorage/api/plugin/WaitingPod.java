// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.Pod;

/**
 * A pod that waits in Permit before it is bound. Only the first of allowing, rejecting and preempting it takes effect.
 */
public interface WaitingPod {
    /** Returns the pod, with its chosen node. */
    Pod pod();

    /** Returns the names of the plugins that the pod still waits for. */
    Set<String> pendingPlugins();

    /**
     * Returns the time until each plugin's timeout, by plugin name, for the plugins in {@link #pendingPlugins()}. At
     * the timeout, the pod is rejected in that plugin's name.
     */
    Map<String, Duration> timeLeft();

    /** Ends the wait for a plugin. The pod is bound when it waits for no more plugins. */
    void allow(String plugin);

    /** Rejects the pod in the name of a plugin, as unschedulable. */
    void reject(String plugin, String message);

    /**
     * Preempts the waiting pod in the name of a plugin. Unlike a rejected pod, it is retried after its backoff.
     *
     * @return whether this call took effect, so that the pod is not bound
     */
    boolean preempt(String plugin, String message);
}
