// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that answer a question and end, without an API server.
 *
 * <p>Starting points: {@link org.moorage.app.internal.command.Commands}, all of them;
 * {@link org.moorage.app.internal.report.Terminal}, what they read and write.
 */
@NullMarked
package org.moorage.app.internal.command;

import org.jspecify.annotations.NullMarked;
