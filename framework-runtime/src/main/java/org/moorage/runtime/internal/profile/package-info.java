// SPDX-License-Identifier: Apache-2.0
/**
 * Construction of profiles: the plugins that are called at each extension point, and their order.
 *
 * <p>Starting point: {@link org.moorage.runtime.internal.profile.ProfilePlugins}.
 */
@NullMarked
package org.moorage.runtime.internal.profile;

import org.jspecify.annotations.NullMarked;
