// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.plugin.Handle;

/**
 * A {@link PreBindPlugin} that only changes objects of the cluster: {@link #preBind} makes all changes through
 * {@link Handle.Cluster#writer()}, and waits only for the controllers of kube-controller-manager and storage drivers.
 *
 * <p>What-if queries run the PreBind of such plugins on an in-memory copy of the cluster, in which those controllers
 * act immediately, so that the next pod sees volumes and claims as after a binding. They do not run the PreBind of
 * other plugins, which may access an external system.
 */
public interface ClusterPreBindPlugin extends PreBindPlugin {}
