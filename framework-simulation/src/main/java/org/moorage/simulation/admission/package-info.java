// SPDX-License-Identifier: Apache-2.0
/**
 * What an API server would make of pods that have not been created.
 *
 * <p>Starting point: {@link org.moorage.simulation.admission.NewPods}.
 */
@NullMarked
package org.moorage.simulation.admission;

import org.jspecify.annotations.NullMarked;
