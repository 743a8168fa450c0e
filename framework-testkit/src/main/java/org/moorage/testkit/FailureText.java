// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The message of a failed check: the expected and the actual result, and all results of the plugin up to then. */
final class FailureText {
    private static final int MOST_LINES = 40;

    private FailureText() {}

    static String of(String what, List<PluginCall> answers) {
        StringBuilder text = new StringBuilder(what);
        if (answers.isEmpty()) {
            return text.append("\nThe plugin was not asked anything.").toString();
        }
        text.append("\nWhat the plugin answered:");
        Set<String> lines = new LinkedHashSet<>();
        for (PluginCall answer : answers) {
            lines.add("\n  " + answer.text());
        }
        lines.stream().limit(MOST_LINES).forEach(text::append);
        if (lines.size() > MOST_LINES) {
            text.append("\n  and ").append(lines.size() - MOST_LINES).append(" more");
        }
        return text.toString();
    }

    static String of(String what, String expected, String answered, List<PluginCall> answers) {
        return of(what + "\n  expected: " + expected + "\n  answered: " + answered, answers);
    }
}
