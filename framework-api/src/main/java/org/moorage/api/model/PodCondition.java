// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A condition of a pod, or of a {@link PodGroup}.
 *
 * @param type its type, for example {@link #POD_SCHEDULED}
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason a machine-readable word
 * @param message a human-readable text
 * @param observedGeneration the generation of the object that it was set for; 0 if unknown
 */
public record PodCondition(String type, String status, String reason, String message, long observedGeneration) {
    /** Whether the pod is scheduled. */
    public static final String POD_SCHEDULED = "PodScheduled";
    /** Whether the pod is about to be terminated by a disruption, such as preemption. */
    public static final String DISRUPTION_TARGET = "DisruptionTarget";
}
