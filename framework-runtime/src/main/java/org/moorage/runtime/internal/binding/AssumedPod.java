// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.queue.QueuedPodInfo;

/**
 * A pod that is assumed to run on the node that was chosen for it.
 *
 * @param queued the pod as it was popped from the queue
 * @param profile its profile
 * @param state its cycle's state
 * @param pod the pod, with the chosen node
 * @param decision the choice
 */
public record AssumedPod(QueuedPodInfo queued, Profile profile, CycleState state, Pod pod, Decision decision) {
    public String nodeName() {
        return pod.nodeName();
    }

    Reservation reservation() {
        return new Reservation(profile, state, pod, nodeName());
    }
}
