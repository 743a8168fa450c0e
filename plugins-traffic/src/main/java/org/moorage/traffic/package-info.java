// SPDX-License-Identifier: Apache-2.0
/**
 * Prefers the nodes whose network is the least busy.
 *
 * <p>Starting point: {@link org.moorage.traffic.NetworkTraffic}.
 */
@NullMarked
package org.moorage.traffic;

import org.jspecify.annotations.NullMarked;
