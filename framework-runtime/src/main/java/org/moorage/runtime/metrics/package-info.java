// SPDX-License-Identifier: Apache-2.0
/**
 * What a scheduler measures.
 *
 * <p>Starting points: {@link org.moorage.runtime.metrics.SchedulerMetrics}, {@link
 * org.moorage.runtime.metrics.SchedulerGauges}.
 */
@NullMarked
package org.moorage.runtime.metrics;

import org.jspecify.annotations.NullMarked;
