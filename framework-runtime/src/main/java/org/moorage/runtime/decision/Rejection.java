// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Objects;
import org.moorage.api.Status;

/**
 * A rejection and the plugin that returned it.
 *
 * @param plugin the name of the plugin; empty if the scheduler itself rejected
 * @param status the status
 */
public record Rejection(String plugin, Status status) {
    /**
     * Checks that the status rejects.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public Rejection {
        Objects.requireNonNull(plugin, "plugin");
        if (!status.isRejection()) {
            throw new IllegalArgumentException("status: " + status.code() + " (expected: a rejection)");
        }
    }
}
