// SPDX-License-Identifier: Apache-2.0
/**
 * The syntax of labels, label selectors and node selectors, with the error messages of the API server.
 *
 * <p>Starting points: {@link org.moorage.builtin.labels.SelectorSyntax},
 * {@link org.moorage.builtin.labels.LabelSyntax}.
 */
@NullMarked
package org.moorage.builtin.labels;

import org.jspecify.annotations.NullMarked;
