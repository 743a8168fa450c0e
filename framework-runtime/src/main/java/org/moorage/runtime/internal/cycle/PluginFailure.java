// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import org.jspecify.annotations.Nullable;

/** A plugin failed, or answered what the extension point does not allow. Fails the one cycle. */
public final class PluginFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String plugin;

    /** A failure of a plugin; the message says at which point, as kube-scheduler words it. */
    public PluginFailure(String plugin, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.plugin = plugin;
    }

    /** The plugin's name. */
    public String plugin() {
        return plugin;
    }

    /** What an exception says, for a message of one line. */
    public static String text(RuntimeException thrown) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : message;
    }
}
