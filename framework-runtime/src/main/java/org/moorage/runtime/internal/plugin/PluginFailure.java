// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import org.jspecify.annotations.Nullable;

/**
 * A failed call of a plugin: the plugin threw an exception, or returned what the method does not allow. All of it is the scheduler's own,
 * also the cause, which is a copy of what the plugin threw ({@link org.moorage.config.plugin.Thrown#copyOf}): nothing that reads a failure
 * runs the plugin's code. The failure itself has no stack trace, since that of its cause shows where it happened.
 */
public final class PluginFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String plugin;
    private final PluginMethod method;
    private final String what;

    PluginFailure(String plugin, PluginMethod method, String message, String what, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.plugin = plugin;
        this.method = method;
        this.what = what;
    }

    // Unlike elsewhere, kube-scheduler's message about PostFilter is the plugin's alone.
    PluginFailure withoutMethod() {
        return new PluginFailure(plugin, method, what, what, getCause());
    }

    /** The plugin's name. */
    public String plugin() {
        return plugin;
    }

    /** The method that was called. */
    public PluginMethod method() {
        return method;
    }

    /** As the message, but without plugin and method. */
    public String what() {
        return what;
    }

    /** The failure in one line. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
