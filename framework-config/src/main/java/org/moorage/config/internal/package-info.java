// SPDX-License-Identifier: Apache-2.0
/**
 * The text of a configuration as a tree that knows where each value stands, and strict reading of its values. It
 * changes without notice.
 *
 * <p>Starting points: {@link org.moorage.config.internal.SourceTree}, {@link org.moorage.config.internal.RecordBinder}.
 */
@NullMarked
package org.moorage.config.internal;

import org.jspecify.annotations.NullMarked;
