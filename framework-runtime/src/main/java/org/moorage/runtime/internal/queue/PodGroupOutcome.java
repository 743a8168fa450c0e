// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

/** The outcome of an attempt at a pod group, which determines when the queue retries it. */
public enum PodGroupOutcome {
    /** It was placed, possibly without some of its pods, which are retried immediately. */
    SUCCESS,
    /** It is retried immediately, together with pods that arrived meanwhile. */
    REPEAT,
    /** Plugins rejected it. */
    REJECTED,
    /** It failed otherwise. */
    ERROR
}
