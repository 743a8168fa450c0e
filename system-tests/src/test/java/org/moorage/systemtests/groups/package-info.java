// SPDX-License-Identifier: Apache-2.0
/**
 * Groups of pods on a real control plane, whose controllers run too. {@code -Dgroups.scheduler=KUBE_SCHEDULER} has the same tests ask
 * kube-scheduler.
 *
 * <p>Starting points: {@link org.moorage.systemtests.groups.GroupScene}, {@link org.moorage.systemtests.groups.LivePodGroupsTest}.
 */
package org.moorage.systemtests.groups;
