// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTPS server of the scheduler, like kube-scheduler's: health, metrics, configuration, flags.
 *
 * <p>Starting points: {@link org.moorage.app.internal.serving.SecureServer},
 * {@link org.moorage.app.internal.serving.ServingOptions}.
 */
@NullMarked
package org.moorage.app.internal.serving;

import org.jspecify.annotations.NullMarked;
