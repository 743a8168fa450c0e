// SPDX-License-Identifier: Apache-2.0
/**
 * What the API server's defaulting and admission make of an object before anybody sees it.
 *
 * <p>Starting points: {@link org.moorage.simulation.internal.admission.Defaulting}, {@link org.moorage.simulation.internal.admission.Admission}.
 */
@NullMarked
package org.moorage.simulation.internal.admission;

import org.jspecify.annotations.NullMarked;
