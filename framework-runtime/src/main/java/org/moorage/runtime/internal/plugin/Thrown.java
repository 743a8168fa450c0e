// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

/** What to do about something that was thrown. */
public final class Thrown {
    private Thrown() {}

    /**
     * Throws it again if the virtual machine can no longer be relied on, as after an {@link OutOfMemoryError}. A {@link
     * StackOverflowError} is over once it has been caught.
     */
    public static void rethrowIfFatal(Throwable thrown) {
        if (thrown instanceof VirtualMachineError fatal && !(thrown instanceof StackOverflowError)) {
            throw fatal;
        }
    }

    /** What it says, in one line: an exception's message, or the name and message of an error. */
    public static String text(Throwable thrown) {
        if (thrown instanceof Error) {
            return thrown.toString();
        }
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : message;
    }
}
