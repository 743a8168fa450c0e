// SPDX-License-Identifier: Apache-2.0
/**
 * The whole scheduler on one thread and a virtual clock, against a model of an API server whose requests and watches
 * fail.
 *
 * <p>Starting points: {@link org.moorage.simulationtests.RuntimeSimulation}, {@link
 * org.moorage.simulationtests.ModelApiServer}.
 */
@NullMarked
package org.moorage.simulationtests;

import org.jspecify.annotations.NullMarked;
