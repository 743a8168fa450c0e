// SPDX-License-Identifier: Apache-2.0
/**
 * A client of Prometheus' HTTP API, for plugins that decide by metrics. Depends only on the JDK, Jackson and {@code
 * org.moorage.tls}, so that a plugin can bundle it in its jar.
 *
 * <p>Starting points: {@link org.moorage.prometheus.Prometheus}, {@link org.moorage.prometheus.PrometheusSettings}.
 */
@NullMarked
package org.moorage.prometheus;

import org.jspecify.annotations.NullMarked;
