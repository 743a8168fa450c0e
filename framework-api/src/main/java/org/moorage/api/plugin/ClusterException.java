// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The cluster did not take a change, or did not say whether it has; or it could not be reached. */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is known of the change that was asked for. */
    public enum Outcome {
        /** It was not sent, so nothing has changed. */
        NOT_SENT,
        /** The API server has refused it, so nothing has changed. */
        REFUSED,
        /** No answer came, or one that does not tell: the change may have been made. Only reading the object tells. */
        UNKNOWN
    }

    private final int httpStatus;
    private final Outcome outcome;

    /**
     * The failure of a change that was sent. Its outcome is unknown if there was no answer, or one of an API server that has
     * failed (500 and above); otherwise the change was refused.
     *
     * @param message what was tried and what came back
     * @param httpStatus the API server's answer, for example 409; 0 if there was none
     * @param cause what caused it, or null
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
     * The failure of a change that was not sent, because no connection could be made or nothing is sent any more.
     *
     * @param message what was tried and why it was not sent
     * @param cause what caused it, or null
     */
    public static ClusterException notSent(String message, @Nullable Throwable cause) {
        return new ClusterException(Objects.requireNonNull(message, "message"), 0, Outcome.NOT_SENT, cause);
    }

    /** The API server's answer, for example 409; 0 if there was none. */
    public int httpStatus() {
        return httpStatus;
    }

    /** What is known of the change that was asked for. */
    public Outcome outcome() {
        return outcome;
    }

    /** Whether the object is not there. */
    public boolean isNotFound() {
        return httpStatus == 404;
    }

    /** Whether the object changed in the meantime, or is there already. */
    public boolean isConflict() {
        return httpStatus == 409;
    }
}
