// SPDX-License-Identifier: Apache-2.0
/** What a cluster in memory knows of kinds that no API server has by itself. */
@NullMarked
package org.moorage.simulation.internal.cluster;

import org.jspecify.annotations.NullMarked;
