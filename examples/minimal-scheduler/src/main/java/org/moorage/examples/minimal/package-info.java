// SPDX-License-Identifier: Apache-2.0
/**
 * A scheduler that looks at five random nodes.
 *
 * <p>Starting points: {@link org.moorage.examples.minimal.RandomNodeSample}, the plugin; {@link
 * org.moorage.examples.minimal.MinimalScheduler}, the program.
 */
@NullMarked
package org.moorage.examples.minimal;

import org.jspecify.annotations.NullMarked;
