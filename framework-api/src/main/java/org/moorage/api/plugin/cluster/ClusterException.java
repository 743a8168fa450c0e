// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failed request to the API server: the change was rejected, its outcome is unknown, or the server could not be
 * reached.
 */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The known outcome of a change. */
    public enum Outcome {
        /** The request was not sent, so nothing has changed. */
        NOT_SENT,
        /** The API server rejected the request, so nothing has changed. */
        REFUSED,
        /** No response, or an inconclusive one: the change may have been made. Read the object to find out. */
        UNKNOWN
    }

    private final int httpStatus;
    private final Outcome outcome;

    /**
     * Creates the failure of a change that was sent. Its outcome is unknown if there was no response, or the status is
     * 500 or above; otherwise the change was rejected.
     *
     * @param message the attempted change and the response
     * @param httpStatus the HTTP status of the response, for example 409; 0 if there was none
     * @param cause the cause, or null
     */
    public ClusterException(String message, int httpStatus, @Nullable Throwable cause) {
        this(message, httpStatus, httpStatus == 0 || httpStatus >= 500 ? Outcome.UNKNOWN : Outcome.REFUSED, cause);
    }

    private ClusterException(String message, int httpStatus, Outcome outcome, @Nullable Throwable cause) {
        super(message, cause);
        this.httpStatus = httpStatus;
        this.outcome = outcome;
    }

    /**
     * Returns the failure of a change that was not sent, because no connection could be made or changes are no longer
     * sent.
     *
     * @param message the attempted change and why it was not sent
     * @param cause the cause, or null
     */
    public static ClusterException notSent(String message, @Nullable Throwable cause) {
        return new ClusterException(Objects.requireNonNull(message, "message"), 0, Outcome.NOT_SENT, cause);
    }

    /** Returns the HTTP status of the response, for example 409; 0 if there was none. */
    public int httpStatus() {
        return httpStatus;
    }

    /** Returns the known outcome of the change. */
    public Outcome outcome() {
        return outcome;
    }

    /** Returns whether the object does not exist. */
    public boolean isNotFound() {
        return httpStatus == 404;
    }

    /** Returns whether the object changed in the meantime, or already exists. */
    public boolean isConflict() {
        return httpStatus == 409;
    }
}
