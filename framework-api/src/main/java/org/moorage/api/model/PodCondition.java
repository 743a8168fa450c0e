// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * Something that is known of a pod's state.
 *
 * @param type what it is about, for example {@link #POD_SCHEDULED}
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason one word for programs
 * @param message a sentence for people
 * @param observedGeneration the pod's generation that it was said of; 0 if unknown
 */
public record PodCondition(String type, String status, String reason, String message, long observedGeneration) {
    /** Whether the pod has a node. */
    public static final String POD_SCHEDULED = "PodScheduled";
    /** Whether the pod is about to go for a reason that does not lie in it. */
    public static final String DISRUPTION_TARGET = "DisruptionTarget";
}
