// SPDX-License-Identifier: Apache-2.0
/**
 * Has plugins answer as the extender of another scheduler, such as kube-scheduler. How requests come is up to the program.
 *
 * <p>Starting point: {@link org.moorage.extender.ExtenderAgent}.
 */
@NullMarked
package org.moorage.extender;

import org.jspecify.annotations.NullMarked;
