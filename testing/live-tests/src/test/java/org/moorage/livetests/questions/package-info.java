// SPDX-License-Identifier: Apache-2.0
/**
 * Questions about a cluster in a file, held against what becomes of that cluster on a real control plane.
 *
 * <p>Starting points: {@link org.moorage.livetests.questions.LiveQuestionsTest}, {@link
 * org.moorage.livetests.questions.LiveBatchTest}.
 */
package org.moorage.livetests.questions;
