// SPDX-License-Identifier: Apache-2.0
/**
 * Asks a Prometheus over its HTTP API, for plugins that decide by metrics. It needs the JDK, Jackson and
 * {@code org.moorage.tls} only, so that a plugin can carry it in its jar.
 *
 * <p>Starting points: {@link org.moorage.prometheus.Prometheus}, {@link org.moorage.prometheus.PrometheusSettings}.
 */
@NullMarked
package org.moorage.prometheus;

import org.jspecify.annotations.NullMarked;
