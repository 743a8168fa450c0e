// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration of a scheduler: kube-scheduler's file format, checked as a whole and completed with the defaults.
 *
 * <p>Starting points: {@link org.moorage.runtime.config.ConfigLoader}, {@link
 * org.moorage.runtime.config.SchedulerConfig}, {@link org.moorage.runtime.config.ConfigPrinter}.
 */
@NullMarked
package org.moorage.runtime.config;

import org.jspecify.annotations.NullMarked;
