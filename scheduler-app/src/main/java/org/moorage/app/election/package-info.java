// SPDX-License-Identifier: Apache-2.0
/**
 * Leader election by a Lease, as in kube-scheduler: of several schedulers one works, and the others stand by.
 *
 * <p>Starting points: {@link org.moorage.app.election.LeaderElector}, {@link org.moorage.app.election.LeaseLock}.
 */
@NullMarked
package org.moorage.app.election;

import org.jspecify.annotations.NullMarked;
