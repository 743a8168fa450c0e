// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * An event about a pod, for users: an event of {@code events.k8s.io}.
 *
 * @param pod the pod
 * @param related another object that is involved
 * @param type {@link #NORMAL} or {@link #WARNING}
 * @param reason one word, for example {@code Scheduled}
 * @param action the scheduler's action, for example {@code Binding}
 * @param note a sentence
 */
public record PodEvent(
        Pod pod, Optional<ClusterObject> related, String type, String reason, String action, String note) {
    /** The type of an event that reports success. */
    public static final String NORMAL = "Normal";
    /** The type of an event that reports a failure. */
    public static final String WARNING = "Warning";

    public PodEvent {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(related, "related");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(note, "note");
    }
}
