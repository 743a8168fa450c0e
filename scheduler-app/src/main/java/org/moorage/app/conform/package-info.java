// SPDX-License-Identifier: Apache-2.0
/**
 * Holds our answers against recorded ones of the real kube-scheduler: decisions, queueing hints, configurations and
 * defaults.
 *
 * <p>Starting points: {@link org.moorage.app.conform.Conformance}, {@link org.moorage.app.conform.Verdict}.
 */
@NullMarked
package org.moorage.app.conform;

import org.jspecify.annotations.NullMarked;
