// SPDX-License-Identifier: Apache-2.0
/**
 * What an API server would make of pods that have not been created, and which pods are created in place of those that are gone.
 *
 * <p>Starting points: {@link org.moorage.simulation.admission.NewPods}, {@link org.moorage.simulation.admission.RecreatedPod}.
 */
@NullMarked
package org.moorage.simulation.admission;

import org.jspecify.annotations.NullMarked;
