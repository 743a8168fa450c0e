// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.Collection;
import org.moorage.api.model.Pod;

/** Has pods tried that wait. */
public interface PodActivation {
    /** Where no pod waits. */
    PodActivation NONE = new PodActivation() {
        @Override
        public void activate(Collection<Pod> pods) {}

        @Override
        public void activateAfterBackoff(Collection<Pod> pods) {}
    };

    /** Has pods tried as soon as possible, whatever they wait for. */
    void activate(Collection<Pod> pods);

    /** As {@link #activate}, once their backoff is over. */
    void activateAfterBackoff(Collection<Pod> pods);
}
