// SPDX-License-Identifier: Apache-2.0
/**
 * What is told of an attempt when it has ended: in the queue, the pod's status, events, the log.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.report.SchedulingFailures}, {@link org.moorage.runtime.internal.report.StatusPatches}.
 */
@NullMarked
package org.moorage.runtime.internal.report;

import org.jspecify.annotations.NullMarked;
