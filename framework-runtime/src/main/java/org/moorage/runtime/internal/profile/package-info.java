// SPDX-License-Identifier: Apache-2.0
/**
 * What a profile is made of when its plugins exist: which of them is called where, and in what order.
 *
 * <p>Starting point: {@link org.moorage.runtime.internal.profile.ProfilePlugins}.
 */
@NullMarked
package org.moorage.runtime.internal.profile;

import org.jspecify.annotations.NullMarked;
