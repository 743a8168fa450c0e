// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

/**
 * Thrown if Prometheus did not respond, or responded with an error. The message is one line with the address and the
 * cause.
 */
public final class PrometheusException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PrometheusException(String message) {
        super(message);
    }

    PrometheusException(String message, Throwable cause) {
        super(message, cause);
    }
}
