// SPDX-License-Identifier: Apache-2.0
/**
 * Groups of pods on a real control plane, whose controllers run too. {@code -Dgroups.scheduler=KUBE_SCHEDULER} has the
 * same tests ask kube-scheduler. At times it fails the one about a pod that is deleted while its gang is scheduled:
 * there such a pod may keep its room, while the others wait for it at Permit.
 *
 * <p>Starting points: {@link org.moorage.livetests.groups.GroupScene},
 * {@link org.moorage.livetests.groups.LivePodGroupsTest}.
 */
package org.moorage.livetests.groups;
