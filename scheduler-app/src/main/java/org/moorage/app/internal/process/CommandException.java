// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

/** Thrown when a command cannot do what was requested. The message is for the user and can be shown unchanged. */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure. */
    public CommandException(String message) {
        super(message);
    }

    /** A failure, and what it is due to. */
    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
