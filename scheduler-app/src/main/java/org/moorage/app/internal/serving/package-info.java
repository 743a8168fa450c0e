// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTPS server on which the scheduler says how it does, as kube-scheduler's: health, metrics, configuration, flags.
 *
 * <p>Starting points: {@link org.moorage.app.internal.serving.SecureServer}, {@link org.moorage.app.internal.serving.ServingOptions}.
 */
@NullMarked
package org.moorage.app.internal.serving;

import org.jspecify.annotations.NullMarked;
