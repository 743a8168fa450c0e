// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

/**
 * Records requests to API servers, for metrics like those of kube-scheduler's client. Methods are called on the threads
 * that send the requests; they must be fast and must not throw. For a watch only {@link #answered} is called, since its
 * duration has no meaning.
 */
public interface RequestMetrics {
    /** Metrics that record nothing. */
    RequestMetrics NONE = new RequestMetrics() {};

    /** Records how long a request waited for the rate limit, also if it did not have to wait. */
    default void rateLimited(String method, String host, long nanos) {}

    /**
     * Records that a try of a request got a response or failed.
     *
     * @param code the status code; {@code <error>} if there was no response
     * @param isRetry whether this is not the first try
     */
    default void answered(String method, String host, String code, boolean isRetry) {}

    /** Records that the body of a request was sent; 0 bytes if it has none. */
    default void sent(String method, String host, long bytes) {}

    /** Records the body size of a response; if its length is not declared, the bytes that were read. */
    default void received(String method, String host, long bytes) {}

    /** Records the duration of a request with all its tries, until its response was read. */
    default void ended(String method, String host, long nanos) {}

    /**
     * Records that a change of a pod is about to be sent.
     *
     * @param type {@code pod_binding} or {@code pod_status_patch}
     */
    default void podCallStarted(String type) {}

    /** Records that such a change has ended. */
    default void podCallEnded(String type, boolean isSuccess, long nanos) {}

    /** Records whether a resource claim for a pod was created. */
    default void claimCreated(boolean isSuccess) {}
}
