// SPDX-License-Identifier: Apache-2.0
/**
 * Answers to what-if questions about a cluster that does not change.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.whatif.FrozenCluster}, {@link
 * org.moorage.runtime.internal.whatif.SnapshotTransaction}.
 */
@NullMarked
package org.moorage.runtime.internal.whatif;

import org.jspecify.annotations.NullMarked;
