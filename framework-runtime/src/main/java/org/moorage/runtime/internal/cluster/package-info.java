// SPDX-License-Identifier: Apache-2.0
/**
 * The last known objects of the cluster, and the effects of their changes on the scheduler.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.cluster.ObjectStore}, {@link
 * org.moorage.runtime.internal.cluster.ChangeHandler}.
 */
@NullMarked
package org.moorage.runtime.internal.cluster;

import org.jspecify.annotations.NullMarked;
