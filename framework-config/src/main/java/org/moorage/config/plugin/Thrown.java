// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ClusterException;

/**
 * Turns exceptions of foreign code into safe values. An exception of a plugin may throw, block or recurse in any of its
 * methods, so none of them is called after {@link #copyOf}, which callers run where they catch the exception: on the
 * thread of the call, and within the time limit of the call.
 */
public final class Thrown {
    /** How many exceptions a copy has at most: itself, its causes and those that they suppress. */
    private static final int MOST_COPIES = 32;

    /** How many frames a stack trace of a copy has at most. */
    private static final int MOST_FRAMES = 256;

    /** How many characters a name in a frame has at most. */
    private static final int MOST_OF_NAME = 512;

    private static final Set<String> HARMLESS_PACKAGES =
            Set.of("java.lang", "java.util", "java.util.concurrent", "java.io", "java.net", "java.time");

    private Thrown() {}

    /**
     * Returns whether the virtual machine can no longer be relied on, as after an {@link OutOfMemoryError}. A
     * {@link StackOverflowError} is over once it has been caught. Only classes of the Java platform count: a subclass
     * that a plugin declares says nothing about the virtual machine.
     */
    public static boolean isFatal(Throwable thrown) {
        return thrown instanceof VirtualMachineError
                && !(thrown instanceof StackOverflowError)
                && thrown.getClass().getClassLoader() == null;
    }

    /** Throws it again if it is fatal. Call this first where everything is caught: other code may need memory. */
    public static void rethrowIfFatal(Throwable thrown) {
        if (isFatal(thrown)) {
            throw (VirtualMachineError) thrown;
        }
    }

    /**
     * Handles an exception of a plugin: throws it again if it is fatal, keeps the interrupt status of the thread, and
     * returns a copy otherwise.
     */
    public static Throwable caught(Throwable thrown) {
        rethrowIfFatal(thrown);
        Throwable copy = copyOf(thrown);
        // Interrupts only after the copy: reading a message may block, which the interrupt would end immediately.
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return copy;
    }

    /**
     * Returns its text in one line: an exception's message, or the name and message of an error; bounded, and also if
     * reading it throws.
     */
    public static String text(Throwable thrown) {
        return thrown instanceof ThrownCopy copy ? copy.text() : text(thrown, message(thrown));
    }

    private static String text(Throwable thrown, Message message) {
        String name = thrown.getClass().getName();
        if (!message.isReadable) {
            return name + " " + message.text;
        }
        boolean hasText = !message.text.isBlank();
        return thrown instanceof Error || !hasText ? hasText ? name + ": " + message.text : name : message.text;
    }

    /** The message of an exception, or why there is none. */
    private record Message(String text, boolean isReadable) {}

    private static Message message(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return new Message(message == null ? "" : PluginText.bounded(message), true);
        } catch (Throwable unreadable) {
            // Also an OutOfMemoryError: what could not be allocated is the message, which is dropped.
            return new Message(
                    "(its message cannot be made: " + unreadable.getClass().getName() + ")", false);
        }
    }

    /**
     * Returns what was thrown as a value that runs no foreign code when it is read, and whose message, stack traces and
     * number of causes are bounded: a {@link ThrownCopy}; or what was thrown itself, if its class and those of its
     * causes are the Java platform's or ours and they are bounded. A {@link ClusterException} stays one in any case,
     * since its outcome decides what happens next.
     */
    public static Throwable copyOf(Throwable thrown) {
        return Objects.requireNonNull(copy(thrown, new ArrayList<>()));
    }

    // Null if there are too many, or if it has been copied: a chain that ends in itself has no end.
    private static @Nullable Throwable copy(@Nullable Throwable thrown, List<Throwable> copied) {
        if (thrown == null || copied.size() >= MOST_COPIES || isIn(copied, thrown)) {
            return null;
        }
        copied.add(thrown);
        if (leftAfter(thrown, MOST_COPIES) > 0) {
            return thrown;
        }
        Message message = message(thrown);
        StackTraceElement[] stack = stack(thrown);
        Throwable cause = copy(cause(thrown), copied);
        Throwable copy;
        if (thrown instanceof ClusterException failed) {
            copy = copy(failed, message.text, cause);
            copy.setStackTrace(stack);
        } else {
            copy = new ThrownCopy(thrown.getClass(), message.text, text(thrown, message), cause, stack);
        }
        for (Throwable suppressed : thrown.getSuppressed()) {
            Throwable copyOfSuppressed = copy(suppressed, copied);
            if (copyOfSuppressed != null) {
                copy.addSuppressed(copyOfSuppressed);
            }
        }
        return copy;
    }

    // How many more exceptions are allowed after this one, its causes and its suppressed ones; 0 if one of them is not
    // harmless, or there are too many.
    private static int leftAfter(Throwable thrown, int before) {
        int left = before;
        for (Throwable each = thrown; each != null && left > 0; each = each.getCause()) {
            // Before any of its methods is called.
            if (!isKnown(each.getClass())) {
                return 0;
            }
            String message = each.getMessage();
            boolean isBounded = (message == null || message.length() <= PluginText.MOST)
                    && each.getStackTrace().length <= MOST_FRAMES;
            left = isBounded ? left - 1 : 0;
            for (Throwable suppressed : each.getSuppressed()) {
                left = left == 0 ? 0 : leftAfter(suppressed, left);
            }
        }
        return left;
    }

    // Exceptions whose methods run no foreign code: those of these packages contain only texts and numbers.
    private static boolean isKnown(Class<?> type) {
        return type == ThrownCopy.class
                || type == ClusterException.class
                || type == PluginException.class
                || type.getClassLoader() == null && HARMLESS_PACKAGES.contains(type.getPackageName());
    }

    // By identity: equals is foreign code.
    private static boolean isIn(List<Throwable> copied, Throwable thrown) {
        for (Throwable known : copied) {
            if (known == thrown) {
                return true;
            }
        }
        return false;
    }

    private static ClusterException copy(ClusterException failed, String message, @Nullable Throwable cause) {
        return failed.outcome() == ClusterException.Outcome.NOT_SENT
                ? ClusterException.notSent(message, cause)
                : new ClusterException(message, failed.httpStatus(), cause);
    }

    private static @Nullable Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable unreadable) {
            return null;
        }
    }

    private static StackTraceElement[] stack(Throwable thrown) {
        try {
            StackTraceElement[] frames = thrown.getStackTrace();
            int most = Math.min(frames.length, MOST_FRAMES);
            StackTraceElement[] stack = new StackTraceElement[most];
            for (int i = 0; i < most; i++) {
                stack[i] = bounded(frames[i]);
            }
            return stack;
        } catch (Throwable unreadable) {
            return new StackTraceElement[0];
        }
    }

    private static StackTraceElement bounded(StackTraceElement frame) {
        return new StackTraceElement(
                bounded(frame.getClassLoaderName()),
                bounded(frame.getModuleName()),
                bounded(frame.getModuleVersion()),
                PluginText.bounded(frame.getClassName(), MOST_OF_NAME),
                PluginText.bounded(frame.getMethodName(), MOST_OF_NAME),
                bounded(frame.getFileName()),
                frame.getLineNumber());
    }

    private static @Nullable String bounded(@Nullable String name) {
        return name == null ? null : PluginText.bounded(name, MOST_OF_NAME);
    }
}
