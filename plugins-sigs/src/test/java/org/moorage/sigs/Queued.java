// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Instant;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.testkit.Pods;

/** A pod in the queue, for tests of queue sorts. */
record Queued(Pod pod, Instant timestamp) implements QueuedPod {
    /** Returns a pod that was queued at a second. */
    static Queued at(int second, Pods pod) {
        return new Queued(pod.build(), Instant.ofEpochSecond(second));
    }

    @Override
    public int attempts() {
        return 1;
    }

    @Override
    public Optional<Instant> initialAttemptTimestamp() {
        return Optional.of(timestamp);
    }
}
