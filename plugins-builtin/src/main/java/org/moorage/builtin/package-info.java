// SPDX-License-Identifier: Apache-2.0
/**
 * kube-scheduler's own plugins, under their own names and with the same decisions.
 *
 * <p>Starting points: {@link org.moorage.builtin.BuiltinPlugins}, the list.
 */
@NullMarked
package org.moorage.builtin;

import org.jspecify.annotations.NullMarked;
