// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.Map;
import java.util.Optional;

/**
 * Detection of code other than the program itself that ends the process by {@link System#exit}. A plugin cannot be kept
 * from that, but the exit is reported instead of passing for a success.
 */
public final class UnexpectedExit {
    private static final String MAIN = "org.moorage.app.Main";
    private static final int MOST_FRAMES = 20;

    private UnexpectedExit() {}

    /** Returns a report on the code that is ending the process; empty if it is the program itself, or a signal. */
    public static Optional<String> text() {
        for (Map.Entry<Thread, StackTraceElement[]> each :
                Thread.getAllStackTraces().entrySet()) {
            Optional<String> text = text(each.getKey().getName(), each.getValue());
            if (text.isPresent()) {
                return text;
            }
        }
        return Optional.empty();
    }

    /**
     * Returns a report if a thread with that stack is ending the process; empty if it is not, or is the program's own
     * exit.
     */
    public static Optional<String> text(String thread, StackTraceElement[] stack) {
        int exit = 0;
        while (exit < stack.length && !isExit(stack[exit])) {
            exit++;
        }
        while (exit < stack.length && isExit(stack[exit])) {
            exit++;
        }
        if (exit >= stack.length || stack[exit].getClassName().equals(MAIN)) {
            return Optional.empty();
        }
        StringBuilder text = new StringBuilder(1_000)
                .append("error: the process ends, since ")
                .append(stack[exit].getClassName())
                .append('.')
                .append(stack[exit].getMethodName())
                .append(" called System.exit on thread ")
                .append(thread)
                .append('\n');
        for (int i = exit; i < Math.min(stack.length, exit + MOST_FRAMES); i++) {
            text.append("\tat ").append(stack[i]).append('\n');
        }
        return Optional.of(text.toString());
    }

    private static boolean isExit(StackTraceElement frame) {
        return (frame.getClassName().equals("java.lang.System")
                        || frame.getClassName().equals("java.lang.Runtime"))
                && frame.getMethodName().equals("exit");
    }
}
