// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A report for people, in the form that a page shows: its headline, and then texts, headings and tables in order. A
 * report prints to a {@link Terminal} that records these parts instead of laying them out in columns.
 */
public final class ReportBlocks {
    private final List<Block> blocks = new ArrayList<>();
    private String headline = "";

    private ReportBlocks() {}

    /** A part of a report. */
    public sealed interface Block {
        /** The name of its type, for programs. */
        default String kind() {
            return getClass().getSimpleName().toLowerCase(Locale.ROOT);
        }
    }

    /** A sentence or more. */
    public record Text(String text, String style) implements Block {}

    /** The heading of the blocks after it. */
    public record Heading(String text) implements Block {}

    /** A table. */
    public record Table(List<Column> columns, List<List<Value>> rows) implements Block {
        public Table {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /** A column of a table; one of numbers is aligned to the right. */
    public record Column(String title, boolean isNumber) {}

    /** A cell of a table. */
    public record Value(String text, String style) {}

    /** Records what a report prints. */
    public static ReportBlocks of(Report report) {
        ReportBlocks recorder = new ReportBlocks();
        PrintWriter lines = new PrintWriter(recorder.new Lines());
        report.print(new Terminal(
                InputStream.nullInputStream(),
                lines,
                lines,
                InstantSource.system(),
                0,
                false,
                true,
                false,
                false,
                false,
                Optional.of(recorder)));
        return recorder;
    }

    /** The sentence that answers the question; empty if the report has none. */
    public String headline() {
        return headline;
    }

    /** The blocks after the headline. */
    public List<Block> blocks() {
        return List.copyOf(blocks);
    }

    public void headline(String text) {
        headline = text;
    }

    public void heading(String text) {
        blocks.add(new Heading(text));
    }

    public void text(String text, TextStyle style) {
        if (!text.isBlank()) {
            blocks.add(new Text(text.strip(), name(style)));
        }
    }

    public void table(List<Column> columns, List<List<Value>> rows) {
        blocks.add(new Table(columns, rows));
    }

    /** The name of a style, for programs; empty for plain text. */
    public static String name(TextStyle style) {
        return style == TextStyle.PLAIN ? "" : style.name().toLowerCase(Locale.ROOT);
    }

    /** Collects lines that are printed directly to the writer. */
    private final class Lines extends Writer {
        private final StringBuilder line = new StringBuilder();

        @Override
        public void write(char[] characters, int from, int length) {
            for (int i = from; i < from + length; i++) {
                if (characters[i] == '\n') {
                    text(line.toString(), TextStyle.PLAIN);
                    line.setLength(0);
                } else {
                    line.append(characters[i]);
                }
            }
        }

        @Override
        public void flush() {
            // A line is recorded when it ends.
        }

        @Override
        public void close() {
            flush();
        }
    }
}
