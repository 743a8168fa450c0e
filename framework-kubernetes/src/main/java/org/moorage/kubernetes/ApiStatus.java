// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.net.ConnectException;
import java.time.Duration;
import org.moorage.api.plugin.cluster.ClusterException;

/** The Status in an API server's error response: the cause of a {@link ClusterException}. */
final class ApiStatus extends Exception {
    private static final long serialVersionUID = 1L;

    private static final String INTERNAL_ERROR = "InternalError";
    private static final String SERVICE_UNAVAILABLE = "ServiceUnavailable";

    private final String reason;
    private final boolean namesObject;
    private final Duration retryAfter;

    /**
     * Creates a status.
     *
     * @param reason its reason, such as {@code Conflict}
     * @param namesObject whether it names the object that it is about
     * @param retryAfter how long the server asks to wait before a retry; zero if it does not ask
     */
    ApiStatus(String reason, boolean namesObject, Duration retryAfter) {
        super(reason, null, false, false);
        this.reason = reason;
        this.namesObject = namesObject;
        this.retryAfter = retryAfter;
    }

    /** Returns the status for an error response without a Status, as kube-scheduler's client does. */
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

    /**
     * Returns whether kube-scheduler retries a change after such a failure: a server error or an unreachable server,
     * but not a timeout.
     */
    static boolean isRetriable(ClusterException failure) {
        return failure.getCause() instanceof ApiStatus status
                ? status.reason.equals(INTERNAL_ERROR) || status.reason.equals(SERVICE_UNAVAILABLE)
                : failure.getCause() instanceof ConnectException;
    }

    /** Returns whether the server does not serve the kind, rather than having no object of that name. */
    static boolean isNotServed(ClusterException failure) {
        return failure.isNotFound() && !(failure.getCause() instanceof ApiStatus status && status.namesObject);
    }
}
