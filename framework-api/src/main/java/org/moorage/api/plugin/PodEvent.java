// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * Something that happened to a pod, for people: an event of {@code events.k8s.io}.
 *
 * @param pod the pod
 * @param related another object that has to do with it
 * @param type {@link #NORMAL} or {@link #WARNING}
 * @param reason one word, for example {@code Scheduled}
 * @param action what the scheduler was doing, for example {@code Binding}
 * @param note a sentence
 */
public record PodEvent(
        Pod pod, Optional<ClusterObject> related, String type, String reason, String action, String note) {
    /** The type of good news. */
    public static final String NORMAL = "Normal";
    /** The type of bad news. */
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
