// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.ReportBlocks;

/**
 * The answer of a command as a page shows it.
 *
 * @param title the command
 * @param succeeded whether the answer is yes
 * @param headline the sentence that answers the question
 * @param figures figures next to the headline
 * @param blocks the texts and tables that the command prints, too
 * @param tree the answer, for programs
 */
public record PageAnswer(
        String title,
        boolean succeeded,
        String headline,
        List<Figure> figures,
        List<ReportBlocks.Block> blocks,
        Answer tree) {
    public PageAnswer {
        figures = List.copyOf(figures);
        blocks = List.copyOf(blocks);
    }

    /**
     * A figure.
     *
     * @param name the name
     * @param value the value
     */
    public record Figure(String name, String value) {}

    /** Returns the answer of a report. */
    public static PageAnswer of(String title, Report report) {
        ReportBlocks blocks = ReportBlocks.of(report);
        List<Figure> figures = new ArrayList<>();
        report.figures().forEach((name, value) -> figures.add(new Figure(name, value)));
        return new PageAnswer(title, report.succeeded(), blocks.headline(), figures, blocks.blocks(), report.answer());
    }
}
