// SPDX-License-Identifier: Apache-2.0
/**
 * What happens to a pod between the choice of its node and the moment it is bound: reserve, permit, pre-bind, bind.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.binding.BindingCycle}, {@link
 * org.moorage.runtime.internal.binding.WaitingPods}.
 */
@NullMarked
package org.moorage.runtime.internal.binding;

import org.jspecify.annotations.NullMarked;
