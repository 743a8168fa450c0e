// SPDX-License-Identifier: Apache-2.0
/**
 * Leader election by a Lease, as in kube-scheduler: one of several schedulers is active, and the others are on standby.
 *
 * <p>Starting points: {@link org.moorage.kubernetes.election.LeaderElector},
 * {@link org.moorage.kubernetes.election.LeaseLock}.
 */
@NullMarked
package org.moorage.kubernetes.election;

import org.jspecify.annotations.NullMarked;
