// SPDX-License-Identifier: Apache-2.0
/**
 * Decisions of the scheduler about pods, and their reasons.
 *
 * <p>Starting points: {@link org.moorage.runtime.decision.Decision}, {@link org.moorage.runtime.decision.Evaluation},
 * {@link org.moorage.runtime.decision.HintEvaluation}.
 */
@NullMarked
package org.moorage.runtime.decision;

import org.jspecify.annotations.NullMarked;
