// SPDX-License-Identifier: Apache-2.0
/** What programs are told that ask what would be. */
@NullMarked
package org.moorage.schedulertests.whatif;

import org.jspecify.annotations.NullMarked;
