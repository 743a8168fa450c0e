// SPDX-License-Identifier: Apache-2.0
/** What would make a pod fit that does not. */
@NullMarked
package org.moorage.simulation.whatif;

import org.jspecify.annotations.NullMarked;
