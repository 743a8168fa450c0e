// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

/**
 * Is told of requests to API servers, for metrics like those of kube-scheduler's client. Called on the threads that send them; it must be
 * quick and throw nothing. A watch is a request of which only {@link #answered} is told, since it lasts as long as it is let.
 */
public interface RequestMetrics {
    /** Metrics that nobody reads. */
    RequestMetrics NONE = new RequestMetrics() {};

    /** A request has waited, or not, since there is a limit on their rate. */
    default void rateLimited(String method, String host, long nanos) {}

    /**
     * A try of a request was answered, or failed.
     *
     * @param code the status code; {@code <error>} if there was no answer
     * @param isRetry whether it is not the first one
     */
    default void answered(String method, String host, String code, boolean isRetry) {}

    /** The body of a request was sent; 0 bytes if it has none. */
    default void sent(String method, String host, long bytes) {}

    /** An answer has come, with a body of that size; of one that does not say its size what was read of it. */
    default void received(String method, String host, long bytes) {}

    /** A request is over, after all its tries and with its answer read. */
    default void ended(String method, String host, long nanos) {}

    /**
     * A change of a pod is about to be sent.
     *
     * @param type {@code pod_binding} or {@code pod_status_patch}
     */
    default void podCallStarted(String type) {}

    /** Such a change was sent. */
    default void podCallEnded(String type, boolean isSuccess, long nanos) {}

    /** A resource claim for a pod was created, or could not be. */
    default void claimCreated(boolean isSuccess) {}
}
