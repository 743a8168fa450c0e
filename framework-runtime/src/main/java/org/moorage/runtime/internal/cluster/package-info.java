// SPDX-License-Identifier: Apache-2.0
/**
 * The objects of the cluster as last seen, and what their changes mean for the scheduler.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.cluster.ObjectStore}, {@link
 * org.moorage.runtime.internal.cluster.ChangeHandler}.
 */
@NullMarked
package org.moorage.runtime.internal.cluster;

import org.jspecify.annotations.NullMarked;
