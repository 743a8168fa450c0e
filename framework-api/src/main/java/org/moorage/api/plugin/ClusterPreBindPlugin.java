// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/**
 * A {@link PreBindPlugin} that works on objects of the cluster alone: {@link #preBind} changes nothing but objects, through {@link
 * Handle#writer()}, and waits for nothing but the controllers of kube-controller-manager and storage drivers.
 *
 * <p>What-if questions run the PreBind of such plugins on their own copy of the cluster, in which those controllers act immediately, so that the
 * next pod finds volumes and claims as it would after a binding. They do not run the PreBind of other plugins, which may reach a
 * system outside the cluster.
 */
public interface ClusterPreBindPlugin extends PreBindPlugin {}
