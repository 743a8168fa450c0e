// SPDX-License-Identifier: Apache-2.0
/** The beans of the auto-configuration. */
@NullMarked
package org.moorage.springboot.internal;

import org.jspecify.annotations.NullMarked;
