// SPDX-License-Identifier: Apache-2.0
/**
 * Leader election by a Lease, as in kube-scheduler: of several schedulers one works, and the others stand by.
 *
 * <p>Starting points: {@link org.moorage.kubernetes.election.LeaderElector}, {@link org.moorage.kubernetes.election.LeaseLock}.
 */
@NullMarked
package org.moorage.kubernetes.election;

import org.jspecify.annotations.NullMarked;
