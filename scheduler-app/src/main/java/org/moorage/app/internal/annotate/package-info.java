// SPDX-License-Identifier: Apache-2.0
/**
 * Annotates nodes with their utilization, for schedulers and extenders that use it:
 * {@link org.moorage.app.internal.annotate.UsageAnnotator} writes what Prometheus measured,
 * {@link org.moorage.app.internal.annotate.AllocationAnnotator} what pods request. The keys are those of
 * kube-safe-scheduler's annotators.
 */
@NullMarked
package org.moorage.app.internal.annotate;

import org.jspecify.annotations.NullMarked;
