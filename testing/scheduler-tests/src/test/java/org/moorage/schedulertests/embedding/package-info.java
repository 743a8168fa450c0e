// SPDX-License-Identifier: Apache-2.0
/**
 * Guarantees for programs that embed the scheduler, for every type of the public API.
 *
 * <p>Starting points: {@link org.moorage.schedulertests.embedding.NullArgumentsTest}, {@link
 * org.moorage.schedulertests.embedding.ImmutableRecordsTest}.
 */
@NullMarked
package org.moorage.schedulertests.embedding;

import org.jspecify.annotations.NullMarked;
