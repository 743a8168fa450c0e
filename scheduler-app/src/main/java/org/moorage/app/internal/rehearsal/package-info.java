// SPDX-License-Identifier: Apache-2.0
/** A generated cluster, on which a start is rehearsed so that later ones are faster. */
@NullMarked
package org.moorage.app.internal.rehearsal;

import org.jspecify.annotations.NullMarked;
