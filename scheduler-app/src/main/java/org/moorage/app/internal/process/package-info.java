// SPDX-License-Identifier: Apache-2.0
/**
 * The process that a command runs in: its memory, signals, threads and end.
 *
 * <p>Starting points: {@link org.moorage.app.internal.process.HostProcess},
 * {@link org.moorage.app.internal.process.CommandException}.
 */
@NullMarked
package org.moorage.app.internal.process;

import org.jspecify.annotations.NullMarked;
