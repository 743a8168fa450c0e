// SPDX-License-Identifier: Apache-2.0
/**
 * CEL as kube-scheduler has it in selectors of devices: what expressions can say, what they cost, and what goes wrong in them.
 *
 * <p>The CEL library parses and checks expressions. They are evaluated here, because an answer of kube-scheduler also depends on
 * what an evaluation costs and on its errors' words, step by step.
 *
 * <p>Starting points: {@link org.moorage.builtin.dra.cel.SelectorLanguage}, from a text to a selector; {@code Planner}, from the
 * checked expression to steps; {@code Costs}, what a call costs.
 */
@NullMarked
package org.moorage.builtin.dra.cel;

import org.jspecify.annotations.NullMarked;
