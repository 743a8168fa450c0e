// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Duration;
import java.util.Objects;
import org.moorage.api.Status;

/** The answer of {@link PermitPlugin#permit}. */
public sealed interface PermitResult {
    /** The pod may be bound. */
    PermitResult ALLOW = new Allow();

    /** The pod may be bound. */
    record Allow() implements PermitResult {}

    /**
     * The pod waits until the plugin allows or rejects it through {@link WaitingPod}.
     *
     * @param atMost how long, 15 minutes at most; after that the pod is rejected
     */
    record Wait(Duration atMost) implements PermitResult {
        public Wait {
            Objects.requireNonNull(atMost, "atMost");
        }
    }

    /**
     * The pod is not to be bound there.
     *
     * @param status why; a rejection
     */
    record Reject(Status status) implements PermitResult {
        public Reject {
            if (!status.isRejection()) {
                throw new IllegalArgumentException("status: " + status.code() + " (expected: a rejection)");
            }
        }
    }
}
