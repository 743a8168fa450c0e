// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.Collection;
import org.moorage.api.model.Pod;

/** Activates pending pods. */
public interface PodActivation {
    /** No pending pods; calls have no effect. */
    PodActivation NONE = new PodActivation() {
        @Override
        public void activate(Collection<Pod> pods) {}

        @Override
        public void activateAfterBackoff(Collection<Pod> pods) {}
    };

    /** Makes pods active, so that they are tried as soon as possible regardless of the events that they wait for. */
    void activate(Collection<Pod> pods);

    /** As {@link #activate}, at the end of their backoff. */
    void activateAfterBackoff(Collection<Pod> pods);
}
