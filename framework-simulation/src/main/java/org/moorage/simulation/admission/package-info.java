// SPDX-License-Identifier: Apache-2.0
/**
 * The admission of pods that have not been created, as by an API server, and the replacements of pods that are gone.
 *
 * <p>Starting points: {@link org.moorage.simulation.admission.NewPods},
 * {@link org.moorage.simulation.admission.RecreatedPod}.
 */
@NullMarked
package org.moorage.simulation.admission;

import org.jspecify.annotations.NullMarked;
