// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;
import org.moorage.api.model.PodGroup;

/**
 * An event about a pod group, for users: an event of {@code events.k8s.io}.
 *
 * @param group the group
 * @param schedulerName the scheduler that reports it, which is the one that the group's pods name
 * @param type {@link PodEvent#NORMAL} or {@link PodEvent#WARNING}
 * @param reason one word, for example {@code FailedScheduling}
 * @param action the scheduler's action, for example {@code Scheduling}
 * @param note a sentence
 */
public record PodGroupEvent(
        PodGroup group, String schedulerName, String type, String reason, String action, String note) {
    public PodGroupEvent {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(schedulerName, "schedulerName");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(note, "note");
    }
}
