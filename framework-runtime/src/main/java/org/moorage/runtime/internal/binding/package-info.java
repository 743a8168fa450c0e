// SPDX-License-Identifier: Apache-2.0
/**
 * The binding cycle of a pod after its node is chosen: reserve, permit, pre-bind, bind.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.binding.BindingCycle}, {@link
 * org.moorage.runtime.internal.binding.WaitingPods}.
 */
@NullMarked
package org.moorage.runtime.internal.binding;

import org.jspecify.annotations.NullMarked;
