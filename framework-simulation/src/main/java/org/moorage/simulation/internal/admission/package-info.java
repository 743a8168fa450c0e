// SPDX-License-Identifier: Apache-2.0
/**
 * The defaulting, validation and admission of objects by the API server, before it stores them.
 *
 * <p>Starting points: {@link org.moorage.simulation.internal.admission.Defaulting},
 * {@link org.moorage.simulation.internal.admission.Admission}.
 */
@NullMarked
package org.moorage.simulation.internal.admission;

import org.jspecify.annotations.NullMarked;
