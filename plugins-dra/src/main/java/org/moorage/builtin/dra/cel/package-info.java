// SPDX-License-Identifier: Apache-2.0
/**
 * CEL as kube-scheduler has it in selectors of devices: what expressions can say, what they cost, and what goes wrong
 * in them.
 *
 * <p>The CEL library parses, checks and evaluates expressions. Here is what only Kubernetes has, and what its library
 * does otherwise.
 *
 * <p>Starting points: {@link org.moorage.builtin.dra.cel.SelectorLanguage}, from a text to a selector;
 * {@link org.moorage.builtin.dra.cel.DriverSelector}, the form that needs no library; {@code CostTracker}, what an
 * evaluation costs; {@code Functions}, the functions that are added.
 */
@NullMarked
package org.moorage.builtin.dra.cel;

import org.jspecify.annotations.NullMarked;
