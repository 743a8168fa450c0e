// SPDX-License-Identifier: Apache-2.0
/**
 * The agents of kube-safe-scheduler as plugins: they look at how a node is used, or at what became of pods on it, rather than at what
 * pods request. Read {@link org.moorage.examples.safe.SafeOverload} first; {@link org.moorage.examples.safe.Foo} is the template to
 * copy, and {@link org.moorage.examples.safe.NodeStatistics} says where figures come from.
 */
@NullMarked
package org.moorage.examples.safe;

import org.jspecify.annotations.NullMarked;
