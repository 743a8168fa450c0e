// SPDX-License-Identifier: Apache-2.0
/** Rules that the whole build keeps: borders between modules, the public API of libraries, and what the pages name. */
@NullMarked
package org.moorage.buildrules;

import org.jspecify.annotations.NullMarked;
