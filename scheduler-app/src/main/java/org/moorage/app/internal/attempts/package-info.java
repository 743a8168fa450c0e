// SPDX-License-Identifier: Apache-2.0
/**
 * The last attempts to schedule each pod, kept while the scheduler runs:
 * {@link org.moorage.app.internal.attempts.KeptAttempts} collects them,
 * {@link org.moorage.app.internal.attempts.AttemptsPage} shows those of a pod.
 */
@NullMarked
package org.moorage.app.internal.attempts;

import org.jspecify.annotations.NullMarked;
