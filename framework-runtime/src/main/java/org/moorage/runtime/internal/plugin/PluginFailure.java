// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import org.jspecify.annotations.Nullable;
import org.moorage.runtime.internal.log.SafeException;

/**
 * A failed call of a plugin: the plugin threw an exception, or returned a value that the method does not allow. All of
 * its parts are the scheduler's, including the cause, which is a copy of what the plugin threw ({@link
 * org.moorage.config.plugin.Thrown#copyOf}): reading a failure never runs the plugin's code. The failure has no stack
 * trace, because its cause has one.
 */
public final class PluginFailure extends SafeException {
    private static final long serialVersionUID = 1L;

    private final String plugin;
    private final PluginMethod method;
    private final String what;

    PluginFailure(String plugin, PluginMethod method, String message, String what, @Nullable Throwable cause) {
        super(message, cause);
        this.plugin = plugin;
        this.method = method;
        this.what = what;
    }

    // Unlike for other methods, kube-scheduler's message for PostFilter is only the plugin's.
    PluginFailure withoutMethod() {
        return new PluginFailure(plugin, method, what, what, getCause());
    }

    /** Returns the plugin's name. */
    public String plugin() {
        return plugin;
    }

    public PluginMethod method() {
        return method;
    }

    /** Returns the message without plugin and method. */
    public String what() {
        return what;
    }
}
