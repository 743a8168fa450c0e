// SPDX-License-Identifier: Apache-2.0
/**
 * The plugins of kubernetes-sigs/scheduler-plugins, with the same names, arguments, custom resources and decisions as
 * version 0.34.7. One class per plugin; {@link org.moorage.sigs.TypedResources} reads the custom resources. Read
 * {@link org.moorage.sigs.PodState} first.
 */
@NullMarked
package org.moorage.sigs;

import org.jspecify.annotations.NullMarked;
