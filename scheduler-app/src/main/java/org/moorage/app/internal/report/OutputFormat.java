// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The forms of an answer. */
public enum OutputFormat {
    /** Tables for people, with the first rows of long ones. */
    TABLE,
    /** The same with all rows. */
    WIDE,
    /** The names of the pods or nodes that the answer is about, a line for each. */
    NAME,
    /** JSON for programs. */
    JSON,
    /** YAML for programs and people. */
    YAML;

    private static final DefaultPrettyPrinter LAYOUT = new DefaultPrettyPrinter(
                    Separators.createDefaultInstance().withObjectFieldValueSpacing(Spacing.AFTER))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"));

    /** Finds a format by its name. */
    public static final class Named implements ITypeConverter<OutputFormat> {
        Named() {}

        @Override
        public OutputFormat convert(String name) {
            for (OutputFormat format : values()) {
                if (format.toString().equalsIgnoreCase(name)) {
                    return format;
                }
            }
            String expected =
                    Arrays.stream(values()).map(OutputFormat::toString).collect(Collectors.joining(", "));
            throw new TypeConversionException("\"" + name + "\" (expected: one of " + expected + ")");
        }
    }

    /** Prints a report in this format. */
    public void print(Report report, Terminal terminal) {
        switch (this) {
            case TABLE -> report.print(terminal);
            case WIDE -> report.print(terminal.asWide());
            case NAME -> report.names().forEach(terminal.out()::println);
            case JSON, YAML -> printValue(report.answer(), terminal);
        }
    }

    /**
     * Prints a value, such as a record or a map.
     *
     * @throws IllegalStateException if the format is neither JSON nor YAML
     */
    public void printValue(Object value, Terminal terminal) {
        terminal.out().println(text(value));
    }

    /**
     * Returns a value, such as a record or a map, as text.
     *
     * @throws IllegalStateException if the format is neither JSON nor YAML
     */
    public String text(Object value) {
        ObjectMapper mapper = switch (this) {
            case JSON -> AnswerJson.JSON;
            case YAML -> AnswerJson.YAML;
            case TABLE, WIDE, NAME -> throw new IllegalStateException("format: " + this + " (expected: json or yaml)");
        };
        try {
            return mapper.writer(LAYOUT).writeValueAsString(value).stripTrailing();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("the answer cannot be written as " + this, e);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
