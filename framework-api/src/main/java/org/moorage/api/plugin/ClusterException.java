// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.jspecify.annotations.Nullable;

/** The cluster did not take a change, or could not be reached. */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int httpStatus;

    /**
     * A failure.
     *
     * @param message what was tried and what came back
     * @param httpStatus the API server's answer, for example 409; 0 if there was none
     * @param cause what caused it, or null
     */
    public ClusterException(String message, int httpStatus, @Nullable Throwable cause) {
        super(message, cause);
        this.httpStatus = httpStatus;
    }

    /** The API server's answer, for example 409; 0 if there was none. */
    public int httpStatus() {
        return httpStatus;
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
