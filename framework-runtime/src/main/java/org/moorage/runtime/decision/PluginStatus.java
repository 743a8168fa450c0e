// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Objects;
import org.moorage.api.Status;

/**
 * A status, and who gave it.
 *
 * @param plugin the name of the plugin that answered; empty if the scheduler itself did
 * @param status its answer
 */
public record PluginStatus(String plugin, Status status) {
    /** No plugin objects. */
    public static final PluginStatus SUCCESS = new PluginStatus("", Status.success());

    public PluginStatus {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(status, "status");
    }

    /** A failure, which no plugin answered as such. */
    public static PluginStatus error(String plugin, String reason) {
        return new PluginStatus(plugin, Status.error(reason));
    }

    /** Whether the status is a success. */
    public boolean isSuccess() {
        return status.isSuccess();
    }

    /** Whether the status is a rejection. */
    public boolean isRejection() {
        return status.isRejection();
    }
}
