// SPDX-License-Identifier: Apache-2.0
/**
 * Serves plugins to other schedulers over HTTP, with the protocol of kube-scheduler's extenders.
 *
 * <p>Starting points: {@link org.moorage.app.extender.ExtenderServer}, {@link org.moorage.app.extender.RunningAgents}.
 */
@NullMarked
package org.moorage.app.extender;

import org.jspecify.annotations.NullMarked;
