// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.concurrent.atomic.AtomicReference;
import org.moorage.runtime.internal.queue.QueuedPodInfo;

/**
 * An attempt to schedule a pod. Either its cycle acts on what it found, or it is given up because a plugin does not return;
 * whichever comes first.
 */
final class CycleAttempt {
    private enum State {
        RUNNING,
        COMMITTED,
        ABANDONED
    }

    private final QueuedPodInfo queued;
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    CycleAttempt(QueuedPodInfo queued) {
        this.queued = queued;
    }

    /** The pod. */
    QueuedPodInfo queued() {
        return queued;
    }

    /** From now on the cycle acts on what it found, and nobody else does; false if the attempt was given up before. */
    boolean commit() {
        return state.compareAndSet(State.RUNNING, State.COMMITTED) || state.get() == State.COMMITTED;
    }

    /** Gives the attempt up: what its cycle finds has no effect; false if the cycle acts on it already. */
    boolean abandon() {
        return state.compareAndSet(State.RUNNING, State.ABANDONED);
    }
}
