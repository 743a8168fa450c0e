// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the pods of workloads as the controllers of kube-controller-manager do.
 *
 * <p>Starting points: {@link org.moorage.simulation.internal.workload.Workloads}, {@link
 * org.moorage.simulation.internal.workload.ReplicaSets}.
 */
@NullMarked
package org.moorage.simulation.internal.workload;

import org.jspecify.annotations.NullMarked;
