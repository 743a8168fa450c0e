// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.time.Instant;

/**
 * One value of a series.
 *
 * @param time when
 * @param value the value, which may be NaN or infinite
 */
public record Point(Instant time, double value) {}
