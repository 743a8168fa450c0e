// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Objects;
import org.moorage.api.Status;

/**
 * A rejection, and who gave it.
 *
 * @param plugin the name of the plugin that rejected; empty if the scheduler itself did
 * @param status its answer
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
