// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.batch;

import java.util.Optional;
import org.moorage.app.internal.report.Answer;

/**
 * A line of {@code moorage batch run}: a question and its answer.
 *
 * @param number the number of the question, from 1 on
 * @param of the number of all questions
 * @param question the question as it is in the list
 * @param exitCode 0 for yes, 1 for no, 2 if the question cannot be answered
 * @param answer the answer of the question's command
 * @param error the reason why there is no answer
 */
record BatchLine(int number, int of, String question, int exitCode, Optional<Answer> answer, Optional<String> error)
        implements Answer {}
