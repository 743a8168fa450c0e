// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration of a scheduler: kube-scheduler's file format, checked as a whole and completed with the defaults.
 *
 * <p>Starting points: {@link org.moorage.config.ConfigLoader}, {@link
 * org.moorage.config.SchedulerConfig}, {@link org.moorage.config.ConfigPrinter}.
 */
@NullMarked
package org.moorage.config;

import org.jspecify.annotations.NullMarked;
