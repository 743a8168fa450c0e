// SPDX-License-Identifier: Apache-2.0
/**
 * Annotations of the API itself.
 *
 * <p>Starting point: {@link org.moorage.api.annotation.Experimental}.
 */
@NullMarked
package org.moorage.api.annotation;

import org.jspecify.annotations.NullMarked;
