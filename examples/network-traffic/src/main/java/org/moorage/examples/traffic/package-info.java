// SPDX-License-Identifier: Apache-2.0
/**
 * Prefers the nodes whose network is the least busy.
 *
 * <p>Starting point: {@link org.moorage.examples.traffic.NetworkTraffic}.
 */
@NullMarked
package org.moorage.examples.traffic;

import org.jspecify.annotations.NullMarked;
