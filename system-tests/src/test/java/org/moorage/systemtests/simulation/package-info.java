// SPDX-License-Identifier: Apache-2.0
/**
 * The whole scheduler on one thread and a virtual clock, against a model of an API server whose requests and watches fail.
 *
 * <p>Starting points: {@link org.moorage.systemtests.simulation.RuntimeSimulation}, {@link
 * org.moorage.systemtests.simulation.ModelApiServer}.
 */
@NullMarked
package org.moorage.systemtests.simulation;

import org.jspecify.annotations.NullMarked;
