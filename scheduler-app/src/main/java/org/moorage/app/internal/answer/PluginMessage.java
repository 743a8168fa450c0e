// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.Optional;
import org.moorage.api.Status;

/**
 * The answer of a plugin about a pod or group as a whole.
 *
 * @param plugin the plugin; absent if the answer has the reasons of several
 * @param code the code of the status, as kube-scheduler names it
 * @param message the message
 */
public record PluginMessage(Optional<String> plugin, String code, String message) {
    /** Returns the answer of one plugin. */
    public static PluginMessage of(String plugin, Status status) {
        return new PluginMessage(Optional.of(plugin), status.code().toString(), status.message());
    }
}
