// SPDX-License-Identifier: Apache-2.0
/**
 * The calls into plugins, and the handling of their failures.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.plugin.PluginCaller}, {@link
 * org.moorage.runtime.internal.plugin.PluginFailure}.
 */
@NullMarked
package org.moorage.runtime.internal.plugin;

import org.jspecify.annotations.NullMarked;
