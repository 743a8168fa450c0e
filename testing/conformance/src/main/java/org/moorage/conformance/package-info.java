// SPDX-License-Identifier: Apache-2.0
/**
 * Compares Moorage's results with cases recorded from the real kube-scheduler: decisions about pods and groups of pods,
 * queueing hints, configurations and defaults.
 *
 * <p>Starting points: {@link org.moorage.conformance.Conformance}, {@link org.moorage.conformance.CaseResult}.
 */
@NullMarked
package org.moorage.conformance;

import org.jspecify.annotations.NullMarked;
