// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler's metrics, under kube-scheduler's names and in the format of Prometheus.
 *
 * <p>Starting points: {@link org.moorage.app.internal.metrics.PrometheusMetrics},
 * {@link org.moorage.app.internal.metrics.MetricsText}.
 */
@NullMarked
package org.moorage.app.internal.metrics;

import org.jspecify.annotations.NullMarked;
