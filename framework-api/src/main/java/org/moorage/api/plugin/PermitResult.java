// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;

/** The answer of {@link PermitPlugin#permit}. */
public final class PermitResult {
    private static final PermitResult ALLOW = new PermitResult(Status.success(), null);

    private final Status status;
    private final @Nullable Duration timeout;

    private PermitResult(Status status, @Nullable Duration timeout) {
        this.status = status;
        this.timeout = timeout;
    }

    /** The pod may be bound. */
    public static PermitResult allow() {
        return ALLOW;
    }

    /**
     * The pod waits until the plugin allows or rejects it through {@link WaitingPod}.
     *
     * @param timeout how long, 15 minutes at most; after that the pod is rejected
     * @throws IllegalArgumentException if the timeout is negative
     */
    public static PermitResult waitAtMost(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: >= 0)");
        }
        return new PermitResult(Status.success(), timeout);
    }

    /**
     * The pod is not bound to this node.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PermitResult rejected(Status status) {
        return new PermitResult(Rejected.checked(status), null);
    }

    /** Success, also if the pod waits, or the rejection. */
    public Status status() {
        return status;
    }

    /** How long the pod waits at most; empty if it does not wait. */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    @Override
    public String toString() {
        return timeout == null ? status.toString() : "Wait[" + timeout + "]";
    }
}
