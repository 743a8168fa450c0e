// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduling queue: pending pods in the order in which they are tried, and the events that requeue unschedulable
 * pods.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.queue.SchedulingQueue}, {@link
 * org.moorage.runtime.internal.queue.PluginEvents}, {@link org.moorage.runtime.internal.queue.Nominator}.
 */
@NullMarked
package org.moorage.runtime.internal.queue;

import org.jspecify.annotations.NullMarked;
