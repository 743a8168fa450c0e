// SPDX-License-Identifier: Apache-2.0
/** A made-up cluster, on which a start is rehearsed so that the next one is faster. */
@NullMarked
package org.moorage.app.internal.rehearsal;

import org.jspecify.annotations.NullMarked;
