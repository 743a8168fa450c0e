// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the scheduler in a Spring Boot application: beans from properties, a health indicator and metrics.
 *
 * <p>Starting points: {@link org.moorage.springboot.MoorageAutoConfiguration}, {@link
 * org.moorage.springboot.MoorageProperties}.
 */
@NullMarked
package org.moorage.springboot;

import org.jspecify.annotations.NullMarked;
