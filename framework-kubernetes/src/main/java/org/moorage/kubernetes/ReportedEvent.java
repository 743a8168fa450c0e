// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.cluster.ObjectEvent;
import org.moorage.api.plugin.cluster.PodEvent;

/**
 * An event of an object.
 *
 * @param regarding the object
 * @param controller the component that reports it
 * @param related another object that the event concerns
 * @param type whether it is a normal event or a warning
 * @param reason a word
 * @param action the action that was attempted
 * @param note a sentence
 */
record ReportedEvent(
        ClusterObject regarding,
        String controller,
        Optional<ClusterObject> related,
        String type,
        String reason,
        String action,
        String note) {
    static ReportedEvent of(PodEvent event) {
        return new ReportedEvent(
                event.pod(),
                event.pod().spec().schedulerName(),
                event.related(),
                event.type(),
                event.reason(),
                event.action(),
                event.note());
    }

    static ReportedEvent of(ObjectEvent event) {
        return new ReportedEvent(
                event.object(),
                event.controller(),
                Optional.empty(),
                event.type(),
                event.reason(),
                event.action(),
                event.note());
    }

    /** Returns the namespace that the event belongs to. */
    String namespace() {
        return regarding.namespace().isEmpty() ? "default" : regarding.namespace();
    }
}
