// SPDX-License-Identifier: Apache-2.0
/**
 * A single object that runs the scheduler of an API server's cluster, for programs that embed it.
 *
 * <p>Starting point: {@link org.moorage.kubernetes.scheduler.KubernetesScheduler}.
 */
@NullMarked
package org.moorage.kubernetes.scheduler;

import org.jspecify.annotations.NullMarked;
