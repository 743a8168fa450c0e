// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;
import org.moorage.api.plugin.WaitingPod;

/** The result of {@link PermitPlugin#permit}. */
public final class PermitResult {
    private static final PermitResult ALLOW = new PermitResult(Status.success(), null);

    private final Status status;
    private final @Nullable Duration timeout;

    private PermitResult(Status status, @Nullable Duration timeout) {
        this.status = status;
        this.timeout = timeout;
    }

    /** Returns a result that allows binding the pod. */
    public static PermitResult allow() {
        return ALLOW;
    }

    /**
     * Returns a result that makes the pod wait until the plugin allows or rejects it through {@link WaitingPod}.
     *
     * @param timeout the maximum wait, capped at 15 minutes; the pod is rejected afterwards
     * @throws IllegalArgumentException if the timeout is negative
     */
    public static PermitResult waitAtMost(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: >= 0)");
        }
        return new PermitResult(Status.success(), timeout);
    }

    /**
     * Returns a result that rejects the pod on this node.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PermitResult rejected(Status status) {
        return new PermitResult(status.requireRejection(), null);
    }

    /** Returns success, also if the pod waits, or the rejection. */
    public Status status() {
        return status;
    }

    /** Returns the maximum wait; empty if the pod does not wait. */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    @Override
    public String toString() {
        return timeout == null ? status.toString() : "Wait[" + timeout + "]";
    }
}
