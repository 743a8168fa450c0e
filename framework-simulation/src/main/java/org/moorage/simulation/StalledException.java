// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

/**
 * Thrown when a scheduler tries the same pods again and again without any effect. The message names the pod, and a
 * plugin.
 */
public final class StalledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StalledException(String message) {
        super(message);
    }
}
