// SPDX-License-Identifier: Apache-2.0
/**
 * The questions of other programs, over HTTP and MCP. Start with
 * {@link org.moorage.app.internal.remote.RemoteQuestions}, which answers them, and
 * {@link org.moorage.app.internal.remote.QuestionForm}, the arguments of a question as JSON.
 */
@NullMarked
package org.moorage.app.internal.remote;

import org.jspecify.annotations.NullMarked;
