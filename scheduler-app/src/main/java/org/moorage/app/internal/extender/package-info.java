// SPDX-License-Identifier: Apache-2.0
/**
 * Serves plugins to other schedulers over HTTP, with the protocol of kube-scheduler's extenders.
 *
 * <p>Starting points: {@link org.moorage.app.internal.extender.ExtenderServer},
 * {@link org.moorage.app.internal.extender.RunningAgents}.
 */
@NullMarked
package org.moorage.app.internal.extender;

import org.jspecify.annotations.NullMarked;
