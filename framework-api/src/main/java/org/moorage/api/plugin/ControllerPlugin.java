// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;

/**
 * A plugin that keeps objects up to date as a controller does, such as the status of custom resources. It is started
 * in the process that schedules: with leader election, in the leader only. If several profiles enable the plugin, only
 * the one of the first profile is started.
 *
 * <p>The plugin adds the objects that a change concerns, by {@link Handle.Cluster#onChange}, and the scheduler calls
 * {@link #reconcile} for each.
 */
public interface ControllerPlugin extends Plugin {
    /** The scheduler's services for a controller. */
    interface Context {
        /**
         * Requests a call of {@link ControllerPlugin#reconcile} for an object. Requests for one object are combined
         * while its next call is pending. May be called from any thread, and does not block.
         *
         * @param kind the kind of the object, such as {@code PodGroup}
         */
        void add(String kind, String namespace, String name);

        /**
         * Lists the pods with a label whose phase is {@code Succeeded} or {@code Failed}. The listers of a live cluster
         * do not have them: the scheduler does not watch them, and such a pod is reported as deleted when it ends. Call
         * this in {@link ControllerPlugin#reconcile}, since it sends a request.
         *
         * @throws ClusterException if the pods cannot be listed
         */
        List<Pod> endedPods(String label, String value);
    }

    /**
     * Starts the controller. Called once, on a background thread, after the listers are filled and this process has
     * become the one that schedules. The plugin keeps the context and adds all objects, since they may have changed
     * before.
     */
    void start(Context context);

    /**
     * Changes an object if it differs from what the cluster calls for; does nothing if the object does not exist.
     * Called on background threads, several objects at a time, but never twice at a time for one object. After an
     * exception it is called again, with increasing delays of at most a minute.
     *
     * @throws ClusterException if the object cannot be changed
     */
    void reconcile(String kind, String namespace, String name);
}
