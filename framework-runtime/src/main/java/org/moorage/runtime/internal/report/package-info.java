// SPDX-License-Identifier: Apache-2.0
/**
 * Reports of finished attempts: in the queue, the pod's status, events and the log.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.report.SchedulingFailures}, {@link
 * org.moorage.runtime.internal.report.StatusPatches}.
 */
@NullMarked
package org.moorage.runtime.internal.report;

import org.jspecify.annotations.NullMarked;
