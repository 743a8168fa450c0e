// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.objects.EventType;
import org.moorage.simulation.Simulation;

/**
 * A change of a cluster that was recorded by a watch, to be replayed by a {@link Simulation}.
 *
 * @param number its number among the recorded events, counted from 1
 * @param type {@code ADDED}, {@code MODIFIED} or {@code DELETED}
 * @param object the object as it is after the change, or was when it was deleted
 */
public record RecordedChange(int number, EventType type, ClusterObject object) {
    public RecordedChange {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(object, "object");
        if (type == EventType.BOOKMARK || type == EventType.ERROR) {
            throw new IllegalArgumentException("type: " + type + " (expected: ADDED, MODIFIED or DELETED)");
        }
    }
}
