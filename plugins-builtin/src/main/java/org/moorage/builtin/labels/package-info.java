// SPDX-License-Identifier: Apache-2.0
/**
 * What a label, a label selector and a node selector may look like, in the words of the API server.
 *
 * <p>Starting points: {@link org.moorage.builtin.labels.SelectorSyntax}, {@link org.moorage.builtin.labels.LabelSyntax}.
 */
@NullMarked
package org.moorage.builtin.labels;

import org.jspecify.annotations.NullMarked;
