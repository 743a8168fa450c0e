// SPDX-License-Identifier: Apache-2.0
/**
 * The pods that wait to be scheduled, in the order in which they are tried, and what has to happen before they are.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.queue.SchedulingQueue}, {@link
 * org.moorage.runtime.internal.queue.PluginEvents}, {@link org.moorage.runtime.internal.queue.Nominator}.
 */
@NullMarked
package org.moorage.runtime.internal.queue;

import org.jspecify.annotations.NullMarked;
