// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

/** What to do about something that was thrown. */
public final class Thrown {
    private Thrown() {}

    /**
     * Whether the virtual machine can no longer be relied on, as after an {@link OutOfMemoryError}. A {@link StackOverflowError}
     * is over once it has been caught.
     */
    public static boolean isFatal(Throwable thrown) {
        return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError);
    }

    /** Throws it again if it is fatal. To be called first wherever everything is caught: what comes before it may need memory. */
    public static void rethrowIfFatal(Throwable thrown) {
        if (isFatal(thrown)) {
            throw (VirtualMachineError) thrown;
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
