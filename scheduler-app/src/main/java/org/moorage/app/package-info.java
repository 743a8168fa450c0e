// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code moorage} command: puts everything together, and is the only place that ends the process.
 *
 * <p>Starting points: {@link org.moorage.app.Main}, the command line;
 * {@link org.moorage.app.internal.scheduler.SchedulerCommand}, the scheduler against an API server.
 */
@NullMarked
package org.moorage.app;

import org.jspecify.annotations.NullMarked;
