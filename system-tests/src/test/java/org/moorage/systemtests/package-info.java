// SPDX-License-Identifier: Apache-2.0
/** The whole scheduler on a real control plane, and the borders between modules. */
@NullMarked
package org.moorage.systemtests;

import org.jspecify.annotations.NullMarked;
