// SPDX-License-Identifier: Apache-2.0
/**
 * What is said of objects of the Kubernetes API that were read: where they stood, what is wrong with them, which keep their text; and
 * Kubernetes' forms of values.
 *
 * <p>Starting point: {@link org.moorage.objects.decode.ObjectDecoder}.
 */
@NullMarked
package org.moorage.objects;

import org.jspecify.annotations.NullMarked;
