// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage explain}: {@link org.moorage.app.internal.explain.ExplainCommand} asks it,
 * {@link org.moorage.app.internal.explain.ExplainReport} has the answer for a pod,
 * {@link org.moorage.app.internal.explain.GroupExplainReport} the one for a group of pods.
 */
@NullMarked
package org.moorage.app.internal.explain;

import org.jspecify.annotations.NullMarked;
