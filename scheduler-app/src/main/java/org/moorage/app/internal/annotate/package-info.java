// SPDX-License-Identifier: Apache-2.0
/**
 * Writes into annotations of nodes how they are used, for schedulers and extenders that decide by that: {@link
 * org.moorage.app.internal.annotate.UsageAnnotator} what Prometheus measured, {@link org.moorage.app.internal.annotate.AllocationAnnotator} what pods
 * request. The keys are those of kube-safe-scheduler's annotators.
 */
@NullMarked
package org.moorage.app.internal.annotate;

import org.jspecify.annotations.NullMarked;
