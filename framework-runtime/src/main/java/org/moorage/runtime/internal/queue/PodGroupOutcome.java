// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** How an attempt at a pod group ended, as far as the queue decides when it is tried again. */
public enum PodGroupOutcome {
    /** It was placed, if not all of its pods: those that are left are tried again at once. */
    SUCCESS,
    /** It is tried again at once, together with pods that came meanwhile. */
    REPEAT,
    /** Plugins rejected it. */
    REJECTED,
    /** It failed otherwise. */
    ERROR
}
