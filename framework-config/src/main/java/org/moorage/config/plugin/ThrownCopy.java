// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import org.jspecify.annotations.Nullable;

/**
 * A copy of an exception that foreign code threw: its class, its bounded message, its stack trace and its causes.
 * Reading a copy runs none of the foreign code, so a copy can be logged, compared and kept.
 */
public final class ThrownCopy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Class<? extends Throwable> type;
    private final String text;

    ThrownCopy(
            Class<? extends Throwable> type,
            String message,
            String text,
            @Nullable Throwable cause,
            StackTraceElement[] stack) {
        super(message.isEmpty() ? type.getName() : type.getName() + ": " + message, cause);
        this.type = type;
        this.text = text;
        setStackTrace(stack);
    }

    /** Returns the text of what was thrown, see {@link Thrown#text}. */
    public String text() {
        return text;
    }

    /** Returns the name of the class of what was thrown. */
    public String typeName() {
        return type.getName();
    }

    /** Returns whether the exception that was thrown is an instance of a class. */
    public boolean isA(Class<? extends Throwable> candidate) {
        return candidate.isAssignableFrom(type);
    }

    /** Returns the class of what was thrown and its message, as {@link Throwable#toString} does for most exceptions. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message has the class of the original already
    public String toString() {
        return String.valueOf(getMessage());
    }
}
