// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.Map;
import java.util.Optional;

/**
 * Tells when something else than the program itself has ended the process by {@link System#exit}. Nothing can keep a plugin from that,
 * but it does not pass for a success.
 */
public final class UnexpectedExit {
    private static final String MAIN = "org.moorage.app.Main";
    private static final int MOST_FRAMES = 20;

    private UnexpectedExit() {}

    /** What is to be told of who ends the process now; empty if it is the program itself, or a signal. */
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

    /** What is to be told if a thread with that stack ends the process, and is not the program's own end. */
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
