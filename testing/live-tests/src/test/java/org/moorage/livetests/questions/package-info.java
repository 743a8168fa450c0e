// SPDX-License-Identifier: Apache-2.0
/**
 * Questions about a cluster in a file, whose answers are compared with the real result on a control plane.
 *
 * <p>Starting points: {@link org.moorage.livetests.questions.LiveQuestionsTest}, {@link
 * org.moorage.livetests.questions.LiveBatchTest}.
 */
package org.moorage.livetests.questions;
