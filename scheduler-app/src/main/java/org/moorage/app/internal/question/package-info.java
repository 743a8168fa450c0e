// SPDX-License-Identifier: Apache-2.0
/**
 * Questions about a cluster: {@link org.moorage.app.internal.question.QuestionCommand} is the base of their commands,
 * {@link org.moorage.app.internal.question.AskedCluster} the cluster that they are about.
 */
@NullMarked
package org.moorage.app.internal.question;

import org.jspecify.annotations.NullMarked;
