// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

/** A command cannot do what it was asked. The message is for whoever asked, and fit to be shown as it is. */
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
