// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.UncheckedIOException;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** In what form a command answers. */
public enum OutputFormat {
    /** Tables for people. */
    TABLE,
    /** JSON for programs. */
    JSON,
    /** YAML for programs and people. */
    YAML;

    private static final DefaultPrettyPrinter LAYOUT = new DefaultPrettyPrinter(
                    Separators.createDefaultInstance().withObjectFieldValueSpacing(Spacing.AFTER))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"));

    /** Finds the format that a person names. */
    public static final class Named implements ITypeConverter<OutputFormat> {
        Named() {}

        @Override
        public OutputFormat convert(String name) {
            for (OutputFormat format : values()) {
                if (format.toString().equalsIgnoreCase(name)) {
                    return format;
                }
            }
            throw new TypeConversionException("\"" + name + "\" (expected: table, json or yaml)");
        }
    }

    /** Prints a tree, which may be one of maps and lists. Of {@link #TABLE} there is none. */
    public void print(Object tree, Terminal terminal) {
        ObjectMapper mapper = switch (this) {
            case TABLE -> throw new IllegalStateException("format: table (expected: json or yaml)");
            case JSON -> JsonMapper.builder().build();
            case YAML ->
                YAMLMapper.builder()
                        .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                        .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                        .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                        .disable(YAMLGenerator.Feature.SPLIT_LINES)
                        .build();
        };
        try {
            terminal.out()
                    .println(mapper.writer(LAYOUT).writeValueAsString(tree).stripTrailing());
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("the answer cannot be written as " + this, e);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
