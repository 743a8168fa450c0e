// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

/** What to do about something that was thrown. */
public final class Thrown {
    /** More than a program nests on purpose; a chain that ends in itself has no end. */
    private static final int MOST_CAUSES = 50;

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

    /** To be called with what a plugin threw: passes on what is fatal, and leaves a thread that was interrupted interrupted. */
    public static void caught(Throwable thrown) {
        rethrowIfFatal(thrown);
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /** What it says, in one line: an exception's message, or the name and message of an error; bounded, and also if that throws. */
    public static String text(Throwable thrown) {
        try {
            if (thrown instanceof Error) {
                return PluginText.bounded(thrown.toString());
            }
            String message = thrown.getMessage();
            return message == null || message.isBlank() ? thrown.getClass().getName() : PluginText.bounded(message);
        } catch (Throwable unreadable) {
            rethrowIfFatal(unreadable);
            return thrown.getClass().getName() + " (its message cannot be made: "
                    + unreadable.getClass().getName() + ")";
        }
    }

    /**
     * What is logged in its place: itself, unless a message in it throws or is too long, or its causes are too many or their own; then a
     * copy with its text and its stack.
     */
    public static Throwable loggable(Throwable thrown) {
        if (left(thrown, MOST_CAUSES) > 0) {
            return thrown;
        }
        StackTraceElement[] stack;
        try {
            stack = thrown.getStackTrace();
        } catch (Throwable unreadable) {
            rethrowIfFatal(unreadable);
            stack = new StackTraceElement[0];
        }
        return new ThrownCopy(thrown.getClass().getName() + ": " + text(thrown), stack);
    }

    // How many more there may be after this, its causes and what it suppresses; 0 if one cannot be logged.
    private static int left(Throwable thrown, int before) {
        int left = before;
        try {
            for (Throwable each = thrown; each != null && left > 0; each = each.getCause()) {
                String message = each.getMessage();
                boolean isReadable = message == null || message.length() <= PluginText.MOST;
                left = isReadable && each.getStackTrace() != null ? left - 1 : 0;
                for (Throwable suppressed : each.getSuppressed()) {
                    left = left(suppressed, left);
                }
            }
        } catch (Throwable unreadable) {
            rethrowIfFatal(unreadable);
            return 0;
        }
        return left;
    }
}
