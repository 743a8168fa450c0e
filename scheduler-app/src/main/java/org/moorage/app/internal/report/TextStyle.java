// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

/** The style of a text on a terminal with colours. */
public enum TextStyle {
    PLAIN(""),
    BOLD("\u001b[1m"),
    GOOD("\u001b[32m"),
    WARNING("\u001b[33m"),
    BAD("\u001b[31m");

    private static final String RESET = "\u001b[0m";

    private final String start;

    TextStyle(String start) {
        this.start = start;
    }

    /** Returns a text in this style, on a terminal with colours. */
    public String of(String text, Terminal terminal) {
        return this == PLAIN || !terminal.colors() || text.isBlank() ? text : start + text + RESET;
    }
}
