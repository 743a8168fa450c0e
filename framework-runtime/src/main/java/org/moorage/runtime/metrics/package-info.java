// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners and gauges of a scheduler.
 *
 * <p>Starting points: {@link org.moorage.runtime.metrics.SchedulerListener}, {@link
 * org.moorage.runtime.metrics.SchedulerGauges}.
 */
@NullMarked
package org.moorage.runtime.metrics;

import org.jspecify.annotations.NullMarked;
