// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage simulate}: {@link org.moorage.app.internal.simulate.SimulateCommand} asks it,
 * {@link org.moorage.app.internal.simulate.SimulationReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.simulate;

import org.jspecify.annotations.NullMarked;
