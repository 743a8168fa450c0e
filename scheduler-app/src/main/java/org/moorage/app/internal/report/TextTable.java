// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Text in columns. The last column is wrapped where the terminal ends. If the terminal is too narrow for the others, as
 * for long names, the cells of a row follow each other instead, on as many lines as they need.
 */
public final class TextTable {
    private static final String GAP = "   ";
    private static final int NARROWEST_LAST = 30;
    private static final String HANGING = "    ";

    private enum Side {
        LEFT,
        RIGHT
    }

    private record Column(List<String> header, Side side) {}

    /** A text and how it stands out. */
    public record Cell(String text, TextStyle style) {
        public Cell {
            text = ControlCharacters.escaped(text);
        }

        /** A cell without text. */
        public static final Cell EMPTY = new Cell("", TextStyle.PLAIN);

        /** Returns a cell with plain text. */
        public static Cell of(String text) {
            return new Cell(text, TextStyle.PLAIN);
        }

        /** Returns a cell with a number. */
        public static Cell of(long number) {
            return of(number, TextStyle.PLAIN);
        }

        /** Returns a cell with a number in a style. */
        public static Cell of(long number, TextStyle style) {
            return new Cell(Long.toString(number), style);
        }
    }

    private final List<Column> columns = new ArrayList<>();
    private final List<List<Cell>> rows = new ArrayList<>();

    /** A column of text. */
    public TextTable left(String... header) {
        columns.add(new Column(List.of(header), Side.LEFT));
        return this;
    }

    /** A column of numbers. */
    public TextTable right(String... header) {
        columns.add(new Column(List.of(header), Side.RIGHT));
        return this;
    }

    /** A row; cells that are not given are empty. */
    public void row(List<Cell> cells) {
        if (cells.size() > columns.size()) {
            throw new IllegalArgumentException(
                    "cells: " + cells.size() + " (expected: at most " + columns.size() + ")");
        }
        rows.add(List.copyOf(cells));
    }

    /** Returns the width of the table without wrapping, in columns. */
    public int width() {
        return width(widths(), columns.size());
    }

    private static int width(int[] widths, int count) {
        int width = -GAP.length();
        for (int i = 0; i < count; i++) {
            width += GAP.length() + widths[i];
        }
        return width;
    }

    /** Prints the table. */
    public void print(Terminal terminal) {
        if (terminal.recorder().isPresent()) {
            record(terminal.recorder().get());
            return;
        }
        int[] widths = widths();
        if (terminal.width() > 0 && width(widths, columns.size() - 1) > terminal.width()) {
            headerLines().forEach(line -> printFlowing(line, terminal));
            rows.forEach(row -> printFlowing(row, terminal));
            return;
        }
        for (List<Cell> line : headerLines()) {
            printRow(line, widths, 0, terminal);
        }
        for (List<Cell> row : rows) {
            printRow(row, widths, terminal.width(), terminal);
        }
    }

    private void record(ReportBlocks recorder) {
        List<ReportBlocks.Column> recorded = new ArrayList<>();
        for (Column column : columns) {
            recorded.add(new ReportBlocks.Column(String.join(" ", column.header).strip(), column.side == Side.RIGHT));
        }
        List<List<ReportBlocks.Value>> values = new ArrayList<>();
        for (List<Cell> row : rows) {
            values.add(row.stream()
                    .map(cell -> new ReportBlocks.Value(cell.text, ReportBlocks.name(cell.style)))
                    .toList());
        }
        recorder.table(recorded, values);
    }

    private static void printFlowing(List<Cell> row, Terminal terminal) {
        StringBuilder line = new StringBuilder();
        int at = 0;
        for (Cell cell : row) {
            String indent = at == 0 ? "" : HANGING;
            for (String part : wrap(cell.text, terminal.width() - HANGING.length())) {
                boolean isNewLine = at > 0 && at + GAP.length() + part.length() > terminal.width();
                String before = isNewLine ? System.lineSeparator() + indent : at == 0 ? "" : GAP;
                line.append(part.isEmpty() ? "" : before).append(cell.style.of(part, terminal));
                int start = isNewLine ? indent.length() : at == 0 ? 0 : at + GAP.length();
                at = part.isEmpty() ? at : start + part.length();
            }
        }
        terminal.out().println(line);
    }

    private List<List<Cell>> headerLines() {
        int height = 0;
        for (Column column : columns) {
            height = Math.max(height, column.header.size());
        }
        List<List<Cell>> lines = new ArrayList<>();
        for (int line = 0; line < height; line++) {
            List<Cell> cells = new ArrayList<>();
            for (Column column : columns) {
                // The words of a header stand on the row below it.
                int word = line - (height - column.header.size());
                cells.add(word < 0 ? Cell.EMPTY : new Cell(column.header.get(word), TextStyle.BOLD));
            }
            lines.add(cells);
        }
        return lines;
    }

    private int[] widths() {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            for (String line : columns.get(i).header) {
                widths[i] = Math.max(widths[i], line.length());
            }
        }
        for (List<Cell> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).text.length());
            }
        }
        return widths;
    }

    // A line is wrapped at that width, unless it is 0.
    private void printRow(List<Cell> row, int[] widths, int width, Terminal terminal) {
        StringBuilder line = new StringBuilder();
        int blanks = 0;
        int at = 0;
        int last = columns.size() - 1;
        for (int i = 0; i < Math.min(row.size(), last); i++) {
            Cell cell = row.get(i);
            int padding = widths[i] - cell.text.length();
            boolean right = columns.get(i).side == Side.RIGHT;
            blanks += right ? padding : 0;
            if (!cell.text.isEmpty()) {
                line.append(" ".repeat(blanks)).append(cell.style.of(cell.text, terminal));
                blanks = 0;
            }
            blanks += (right ? 0 : padding) + GAP.length();
            at += widths[i] + GAP.length();
        }
        if (row.size() > last && !row.get(last).text.isEmpty()) {
            Cell cell = row.get(last);
            int padding = columns.get(last).side == Side.RIGHT ? widths[last] - cell.text.length() : 0;
            appendLast(line, blanks + padding, at, width, cell, terminal);
        }
        terminal.out().println(line);
    }

    private static void appendLast(StringBuilder line, int blanks, int at, int width, Cell cell, Terminal terminal) {
        int room = width - at;
        if (width == 0 || cell.text.length() <= room) {
            line.append(" ".repeat(blanks)).append(cell.style.of(cell.text, terminal));
            return;
        }
        boolean below = room < NARROWEST_LAST;
        String indent = below ? HANGING : " ".repeat(at);
        List<String> wrapped = wrap(cell.text, below ? width - HANGING.length() : room);
        for (int i = 0; i < wrapped.size(); i++) {
            if (i > 0 || below) {
                line.append(System.lineSeparator()).append(indent);
            } else {
                line.append(" ".repeat(blanks));
            }
            line.append(cell.style.of(wrapped.get(i), terminal));
        }
    }

    /** Prints the sentence that answers the question, wrapped where the terminal ends. */
    public static void printHeadline(String text, Terminal terminal) {
        if (terminal.recorder().isPresent()) {
            terminal.recorder().get().headline(text);
        } else {
            printWrapped(text, terminal);
        }
    }

    /** Prints a heading on a line. */
    public static void printHeading(String text, Terminal terminal) {
        if (terminal.recorder().isPresent()) {
            terminal.recorder().get().heading(text);
        } else {
            terminal.out().println(TextStyle.BOLD.of(text, terminal));
        }
    }

    /** Prints a text, wrapped where the terminal ends. */
    public static void printWrapped(String text, Terminal terminal) {
        if (terminal.recorder().isPresent()) {
            terminal.recorder().get().text(text, TextStyle.PLAIN);
            return;
        }
        int width = terminal.width() == 0 ? Integer.MAX_VALUE : terminal.width();
        wrap(text, width).forEach(terminal.out()::println);
    }

    /** Prints a title in a style and a text after it, wrapped where the terminal ends. */
    public static void printWrapped(String title, String text, TextStyle style, Terminal terminal) {
        if (terminal.recorder().isPresent()) {
            terminal.recorder().get().text(title + text, style);
            return;
        }
        int width = terminal.width() == 0 ? Integer.MAX_VALUE : terminal.width();
        int left = title.length();
        for (String line : wrap(title + text, width)) {
            int styled = Math.min(left, line.length());
            terminal.out()
                    .println((styled == 0 ? "" : style.of(line.substring(0, styled), terminal))
                            + line.substring(styled));
            // A blank is where the line is wrapped.
            left = Math.max(0, left - line.length() - 1);
        }
    }

    /**
     * Returns a text in lines of at most so many columns, broken between the parts of an enumeration where possible,
     * otherwise between words. A longer word is not broken.
     */
    public static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String part : text.split("(?<=[,:]) ", -1)) {
            if (part.length() <= width) {
                append(part, width, line, lines);
            } else {
                for (String word : part.split(" ", -1)) {
                    append(word, width, line, lines);
                }
            }
        }
        lines.add(line.toString());
        return lines;
    }

    private static void append(String part, int width, StringBuilder line, List<String> lines) {
        if (!line.isEmpty() && line.length() + 1 + part.length() > width) {
            lines.add(line.toString());
            line.setLength(0);
        }
        line.append(line.isEmpty() ? "" : " ").append(part);
    }
}
