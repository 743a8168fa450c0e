// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;

/**
 * A status that is not a success, and who gave it.
 *
 * @param plugin the name of the plugin that answered; empty if the runtime itself did
 * @param status its answer
 */
public record Rejection(String plugin, Status status) {
    public Rejection {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(status, "status");
    }
}
