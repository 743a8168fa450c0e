// SPDX-License-Identifier: Apache-2.0
/**
 * What {@code moorage} does without a command: a scheduler of a real cluster, with kube-scheduler's flags.
 *
 * <p>Starting points: {@link org.moorage.app.internal.scheduler.SchedulerCommand},
 * {@link org.moorage.app.internal.scheduler.SchedulerOptions}.
 */
@NullMarked
package org.moorage.app.internal.scheduler;

import org.jspecify.annotations.NullMarked;
