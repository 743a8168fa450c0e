// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An expected error of a plugin, such as a missing object. The pod's events show its message to users.
 *
 * <p>Thrown from a method of a plugin, it ends the attempt with an error, as every other exception does. It is logged
 * in one line, without a stack trace: the stack trace would not help, and users who create many such pods would fill
 * the log with them.
 */
public class PluginException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Creates an error with a message. */
    public PluginException(String message) {
        this(message, null);
    }

    /**
     * Creates an error with a cause.
     *
     * @param message the text that the events and conditions of the pod show
     * @param cause the cause, or null
     */
    public PluginException(String message, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
    }

    // Filling in the stack trace takes longer than most calls of plugins.
    @Override
    public final synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** Returns the text that the events and conditions of the pod show. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
