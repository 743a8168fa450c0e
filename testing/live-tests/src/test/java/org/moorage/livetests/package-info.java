// SPDX-License-Identifier: Apache-2.0
/** The whole scheduler on a real control plane. */
@NullMarked
package org.moorage.livetests;

import org.jspecify.annotations.NullMarked;
