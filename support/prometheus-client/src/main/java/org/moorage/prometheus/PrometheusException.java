// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

/** Prometheus did not answer, or answered with an error. The message is one line that says who was asked and what came of it. */
public final class PrometheusException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PrometheusException(String message) {
        super(message);
    }

    PrometheusException(String message, Throwable cause) {
        super(message, cause);
    }
}
