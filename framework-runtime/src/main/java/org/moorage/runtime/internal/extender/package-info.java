// SPDX-License-Identifier: Apache-2.0
/**
 * Extenders: web services that filter, score, preempt and bind in addition to the plugins, with kube-scheduler's
 * protocol.
 *
 * <p>Starting points: {@link org.moorage.runtime.internal.extender.Extenders}, {@link
 * org.moorage.runtime.internal.extender.HttpExtender}.
 */
@NullMarked
package org.moorage.runtime.internal.extender;

import org.jspecify.annotations.NullMarked;
