// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An error that a plugin foresees, such as an object that does not exist: its message explains it to a person who reads the pod's events.
 *
 * <p>Thrown from a method of a plugin, it ends the attempt with an error, as every other exception does. It is logged in one line, though:
 * where it was thrown does not help anyone, and users who create many such pods would fill the log with stack traces.
 */
public class PluginException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** An error with that message. */
    public PluginException(String message) {
        this(message, null);
    }

    /**
     * An error that another one caused.
     *
     * @param message the text that the events and conditions of the pod show
     * @param cause what caused it, or null
     */
    public PluginException(String message, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
    }

    // Reading where it was thrown takes longer than most calls of plugins.
    @Override
    public final synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** The text that the events and conditions of the pod show. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
