// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.net.ConnectException;
import java.time.Duration;
import org.moorage.api.plugin.ClusterException;

/** The Status with which an API server refuses what it was asked for: the cause of a {@link ClusterException}. */
final class ApiStatus extends Exception {
    private static final long serialVersionUID = 1L;

    private static final String INTERNAL_ERROR = "InternalError";
    private static final String SERVICE_UNAVAILABLE = "ServiceUnavailable";

    private final String reason;
    private final boolean namesObject;
    private final Duration retryAfter;

    /**
     * A status.
     *
     * @param reason its reason, such as {@code Conflict}
     * @param namesObject whether it says which object it is about
     * @param retryAfter how long the server asks to wait before another try; zero if it does not ask for one
     */
    ApiStatus(String reason, boolean namesObject, Duration retryAfter) {
        super(reason, null, false, false);
        this.reason = reason;
        this.namesObject = namesObject;
        this.retryAfter = retryAfter;
    }

    /** What an answer without a Status stands for, as kube-scheduler's client takes it. */
    static ApiStatus missing(int httpStatus, Duration retryAfter) {
        String reason = switch (httpStatus) {
            case 500 -> INTERNAL_ERROR;
            case 503 -> SERVICE_UNAVAILABLE;
            default -> "";
        };
        return new ApiStatus(reason, false, retryAfter);
    }

    Duration retryAfter() {
        return retryAfter;
    }

    /** Whether kube-scheduler tries a change again after such a failure: the server has failed or is not there, but did not run out of time. */
    static boolean isRetriable(ClusterException failure) {
        return failure.getCause() instanceof ApiStatus status
                ? status.reason.equals(INTERNAL_ERROR) || status.reason.equals(SERVICE_UNAVAILABLE)
                : failure.getCause() instanceof ConnectException;
    }

    /** Whether the server does not serve what was asked for, rather than having no object of that name. */
    static boolean isNotServed(ClusterException failure) {
        return failure.isNotFound() && !(failure.getCause() instanceof ApiStatus status && status.namesObject);
    }
}
