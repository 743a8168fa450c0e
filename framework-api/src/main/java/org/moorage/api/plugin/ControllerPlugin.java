// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.plugin.cluster.ClusterException;

/**
 * A plugin that keeps the status of custom resources up to date, as a controller does. It listens to changes by
 * {@link Handle.Cluster#onChange}, and reconciles objects on {@link Handle.Tasks#background}.
 */
public interface ControllerPlugin extends Plugin {
    /**
     * Writes the status of an object if it differs from what the cluster calls for; does nothing if the object does not
     * exist. Tests and tools call this for one object.
     *
     * @param kind the kind of the object, such as {@code PodGroup}
     * @throws ClusterException if the status cannot be written
     */
    void reconcile(String kind, String namespace, String name);
}
