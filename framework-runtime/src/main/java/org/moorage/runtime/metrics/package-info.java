// SPDX-License-Identifier: Apache-2.0
/**
 * What a scheduler measures, and what it tells of as it happens.
 *
 * <p>Starting points: {@link org.moorage.runtime.metrics.SchedulerMetrics}, {@link
 * org.moorage.runtime.metrics.SchedulerGauges}, {@link org.moorage.runtime.metrics.SchedulerListener}.
 */
@NullMarked
package org.moorage.runtime.metrics;

import org.jspecify.annotations.NullMarked;
