// SPDX-License-Identifier: Apache-2.0
/** Kinds of an in-memory cluster that are not built into the API server. */
@NullMarked
package org.moorage.simulation.internal.cluster;

import org.jspecify.annotations.NullMarked;
