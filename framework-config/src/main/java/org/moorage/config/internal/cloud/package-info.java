// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler's configuration as managed clouds accept it, turned into one of kube-scheduler and back.
 *
 * <p>Starting point: {@link org.moorage.config.internal.cloud.CloudConfig}.
 */
@NullMarked
package org.moorage.config.internal.cloud;

import org.jspecify.annotations.NullMarked;
