// SPDX-License-Identifier: Apache-2.0
/**
 * Types for objects of the Kubernetes API that were read: their places, their faults and the text that they keep; and
 * Kubernetes' formats of values.
 *
 * <p>Starting point: {@link org.moorage.objects.decode.ObjectDecoder}.
 */
@NullMarked
package org.moorage.objects;

import org.jspecify.annotations.NullMarked;
