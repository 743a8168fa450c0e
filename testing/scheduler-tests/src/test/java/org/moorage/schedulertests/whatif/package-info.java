// SPDX-License-Identifier: Apache-2.0
/** Tests of what-if questions about clusters. */
@NullMarked
package org.moorage.schedulertests.whatif;

import org.jspecify.annotations.NullMarked;
