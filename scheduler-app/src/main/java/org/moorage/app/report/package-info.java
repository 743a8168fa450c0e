// SPDX-License-Identifier: Apache-2.0
/**
 * What commands answer: tables and JSON, on a terminal or into a file.
 *
 * <p>Starting points: {@link org.moorage.app.report.Report}, {@link org.moorage.app.report.Terminal}.
 */
@NullMarked
package org.moorage.app.report;

import org.jspecify.annotations.NullMarked;
