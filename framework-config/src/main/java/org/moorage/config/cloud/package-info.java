// SPDX-License-Identifier: Apache-2.0
/**
 * The shapes that managed clouds give the scheduler's configuration.
 *
 * <p>Starting point: {@link org.moorage.config.cloud.ConfigShape}.
 */
@NullMarked
package org.moorage.config.cloud;

import org.jspecify.annotations.NullMarked;
