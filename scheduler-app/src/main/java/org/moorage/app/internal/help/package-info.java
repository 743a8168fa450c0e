// SPDX-License-Identifier: Apache-2.0
/** The layout of the help texts of the command line. */
@NullMarked
package org.moorage.app.internal.help;

import org.jspecify.annotations.NullMarked;
