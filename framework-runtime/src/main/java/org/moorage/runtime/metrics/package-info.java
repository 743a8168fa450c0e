// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics and listeners of a scheduler.
 *
 * <p>Starting points: {@link org.moorage.runtime.metrics.SchedulerMetrics}, {@link
 * org.moorage.runtime.metrics.SchedulerGauges}, {@link org.moorage.runtime.metrics.SchedulerListener}.
 */
@NullMarked
package org.moorage.runtime.metrics;

import org.jspecify.annotations.NullMarked;
