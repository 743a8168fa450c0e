// SPDX-License-Identifier: Apache-2.0
/**
 * What-if questions about the state of a cluster: which nodes are feasible for a pod, where pods would be scheduled,
 * and how many copies of a pod fit, also with nodes added or pods removed.
 *
 * <p>Starting points: {@link org.moorage.runtime.whatif.WhatIf}, {@link org.moorage.runtime.whatif.Questions}.
 */
@NullMarked
package org.moorage.runtime.whatif;

import org.jspecify.annotations.NullMarked;
