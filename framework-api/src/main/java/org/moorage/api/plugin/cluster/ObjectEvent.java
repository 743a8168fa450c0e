// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;
import org.moorage.api.model.ClusterObject;

/**
 * An event about an object other than a pod, such as a pod group or a custom resource, for users: an event of
 * {@code events.k8s.io}.
 *
 * @param object the object
 * @param controller the component that reports it; for pod groups the scheduler that the group's pods name
 * @param type {@link PodEvent#NORMAL} or {@link PodEvent#WARNING}
 * @param reason one word, for example {@code FailedScheduling}
 * @param action the component's action, for example {@code Scheduling}
 * @param note a sentence
 */
public record ObjectEvent(
        ClusterObject object, String controller, String type, String reason, String action, String note) {
    public ObjectEvent {
        Objects.requireNonNull(object, "object");
        Objects.requireNonNull(controller, "controller");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(note, "note");
    }
}
