// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Objects;
import org.moorage.api.Status;

/**
 * A status and the plugin that returned it.
 *
 * @param plugin the name of the plugin; empty if the scheduler itself created the status
 * @param status the status
 */
public record PluginStatus(String plugin, Status status) {
    /** A success of no particular plugin. */
    public static final PluginStatus SUCCESS = new PluginStatus("", Status.success());

    public PluginStatus {
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(status, "status");
    }

    /** Returns an error status for a plugin that failed without returning one. */
    public static PluginStatus error(String plugin, String reason) {
        return new PluginStatus(plugin, Status.error(reason));
    }

    /** Returns whether the status is a success. */
    public boolean isSuccess() {
        return status.isSuccess();
    }

    /** Returns whether the status is a rejection. */
    public boolean isRejection() {
        return status.isRejection();
    }
}
