// SPDX-License-Identifier: Apache-2.0
/**
 * Questions about a cluster as it is at a moment: which nodes a pod fits, where pods would go, how many of a template there is room for, and
 * all of that with other nodes or without some pods.
 *
 * <p>Starting points: {@link org.moorage.runtime.whatif.WhatIf}, {@link org.moorage.runtime.whatif.Questions}.
 */
@NullMarked
package org.moorage.runtime.whatif;

import org.jspecify.annotations.NullMarked;
