// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler of an API server's cluster in one object, for programs that run one.
 *
 * <p>Starting point: {@link org.moorage.kubernetes.scheduler.KubernetesScheduler}.
 */
@NullMarked
package org.moorage.kubernetes.scheduler;

import org.jspecify.annotations.NullMarked;
