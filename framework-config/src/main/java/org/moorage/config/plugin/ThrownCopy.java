// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

/** Stands for something that was thrown and that cannot be logged as it is: its class, what can be told of it, and where it was thrown. */
final class ThrownCopy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ThrownCopy(String text, StackTraceElement[] stack) {
        super(text, null, false, true);
        setStackTrace(stack);
    }
}
