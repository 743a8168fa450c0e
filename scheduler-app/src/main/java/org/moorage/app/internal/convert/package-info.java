// SPDX-License-Identifier: Apache-2.0
/** {@code moorage convert}: manifests with gangs of Coscheduling to those of Kubernetes. */
@NullMarked
package org.moorage.app.internal.convert;

import org.jspecify.annotations.NullMarked;
