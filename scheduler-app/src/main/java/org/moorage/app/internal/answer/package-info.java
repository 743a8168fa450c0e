// SPDX-License-Identifier: Apache-2.0
/**
 * Answers as values: records whose components are the fields of {@code -o json}, see {@link org.moorage.app.internal.report.Answer}.
 * {@link org.moorage.app.internal.report.AnswerJson} writes them; their JSON schemas are generated from the same types.
 */
@NullMarked
package org.moorage.app.internal.answer;

import org.jspecify.annotations.NullMarked;
