// SPDX-License-Identifier: Apache-2.0
/**
 * Runs plugins as a scheduler extender for another scheduler, such as kube-scheduler. The program provides the HTTP
 * server.
 *
 * <p>Starting point: {@link org.moorage.extender.ExtenderAgent}.
 */
@NullMarked
package org.moorage.extender;

import org.jspecify.annotations.NullMarked;
