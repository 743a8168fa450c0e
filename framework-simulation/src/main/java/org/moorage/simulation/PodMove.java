// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.Objects;
import org.moorage.simulation.dump.RecordedChange;

/**
 * A pod's move in the scheduling queue for a change: it was tried again.
 *
 * @param change the change
 * @param event what the change was taken for: the label of an event, for example {@code NodeAdd} or
 *     {@code UpdateNodeTaint}
 */
public record PodMove(RecordedChange change, String event) {
    public PodMove {
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(event, "event");
    }
}
