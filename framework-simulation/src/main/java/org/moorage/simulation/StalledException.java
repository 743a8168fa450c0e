// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

/**
 * Thrown when a run never ends, such as one in which pods evict each other in a circle. The message names the pod, and
 * a plugin.
 */
public final class StalledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StalledException(String message) {
        super(message);
    }
}
