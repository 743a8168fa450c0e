// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import java.time.temporal.ChronoUnit;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.Terminal;

/** Prints differences as they are found, a line each, and the number of decisions at the end. */
final class ShadowReport {
    private final boolean isLines;
    private final Terminal terminal;

    /**
     * A report.
     *
     * @param isLines whether it prints lines of JSON, for programs
     */
    ShadowReport(boolean isLines, Terminal terminal) {
        this.isLines = isLines;
        this.terminal = terminal;
    }

    /** Prints a difference. */
    void print(Difference difference) {
        String at = terminal.clock().instant().truncatedTo(ChronoUnit.MILLIS).toString();
        terminal.out().println(isLines ? AnswerJson.line(ShadowLine.of(at, difference)) : text(difference));
        terminal.out().flush();
    }

    private String text(Difference difference) {
        String chosen = difference.nodeName().isEmpty() ? "pending" : "on " + difference.nodeName();
        String kind = difference.kind() == Difference.Kind.SAMPLING ? " (perhaps by sampling)" : "";
        return difference.pod() + " " + chosen + kind + ": " + difference.reason();
    }

    /** Prints the number of decisions. */
    void printSummary(Verdicts verdicts) {
        if (isLines) {
            terminal.out().println(AnswerJson.line(ShadowLine.of(verdicts)));
        } else {
            terminal.out()
                    .println(verdicts.judged() + " bindings: " + verdicts.equal() + " equal, " + verdicts.ties()
                            + " ties, "
                            + verdicts.nominated() + " on the nominated node, " + verdicts.sampling()
                            + " perhaps by sampling, " + verdicts.differences() + " different; of the others, "
                            + verdicts.reordered() + " in another order of changes.");
            terminal.out()
                    .println(verdicts.waiting() + " rejections agree; " + verdicts.fitsHere()
                            + " pods are pending there and fit here; " + verdicts.unjudged()
                            + " pods were not compared.");
        }
        terminal.out().flush();
    }
}
