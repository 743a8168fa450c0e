// SPDX-License-Identifier: Apache-2.0
/** Decodes objects of the Kubernetes API for programs that have them as texts, bytes or maps. */
@NullMarked
package org.moorage.objects.decode;

import org.jspecify.annotations.NullMarked;
