// SPDX-License-Identifier: Apache-2.0
/**
 * The output of commands: tables and JSON, on a terminal or into a file.
 *
 * <p>Starting points: {@link org.moorage.app.internal.report.Report}, {@link org.moorage.app.internal.report.Terminal}.
 */
@NullMarked
package org.moorage.app.internal.report;

import org.jspecify.annotations.NullMarked;
