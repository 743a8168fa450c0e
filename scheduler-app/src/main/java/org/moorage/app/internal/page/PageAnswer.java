// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Explained;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.ReportBlocks;

/**
 * The answer of a command as a page shows it.
 *
 * @param title the command
 * @param succeeded whether the exit code is 0
 * @param headline the sentence that answers the question
 * @param figures some figures next to it
 * @param blocks the texts and tables that the console shows, too
 * @param tree all of it, for programs
 */
public record PageAnswer(
        String title,
        boolean succeeded,
        String headline,
        List<Figure> figures,
        List<ReportBlocks.Block> blocks,
        ObjectNode tree) {
    public PageAnswer {
        figures = List.copyOf(figures);
        blocks = List.copyOf(blocks);
    }

    /** A figure and its name. */
    public record Figure(String name, String value) {}

    /** The answer to a question. */
    public static PageAnswer of(String title, Answer answer) {
        return of(title, answer, answer.exitCode() == 0, answer.figures());
    }

    /** The explanation of a pod or a group. */
    public static PageAnswer of(String title, Explained explained) {
        return of(title, explained, explained.isScheduled(), Map.of());
    }

    private static PageAnswer of(String title, Report report, boolean succeeded, Map<String, String> figures) {
        ReportBlocks blocks = ReportBlocks.of(report);
        List<Figure> shown = new ArrayList<>();
        figures.forEach((name, value) -> shown.add(new Figure(name, value)));
        return new PageAnswer(title, succeeded, blocks.headline(), shown, blocks.blocks(), report.tree());
    }
}
