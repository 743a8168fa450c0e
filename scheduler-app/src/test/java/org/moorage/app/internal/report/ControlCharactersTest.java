// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlCharactersTest {
    private static final char ESCAPE = 0x1b;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private Terminal terminal(boolean isTerminal) {
        return new Terminal(
                InputStream.nullInputStream(),
                new PrintWriter(out),
                new PrintWriter(err),
                InstantSource.system(),
                0,
                isTerminal,
                isTerminal,
                isTerminal);
    }

    @ParameterizedTest
    @CsvSource({
        "27, ^[",
        "13, \\r",
        "7, \\u0007",
        "8, \\u0008",
        "12, \\u000c",
        "0, \\u0000",
        "127, \\u007f",
        "155, \\u009b"
    })
    void printsControlCharactersEscaped(int character, String escaped) {
        for (boolean isTerminal : new boolean[] {false, true}) {
            Terminal terminal = terminal(isTerminal);
            terminal.out().print("a" + (char) character + "b\n");
            terminal.out().write((char) character);
            terminal.warn("a" + (char) character + "b");
            terminal.out().flush();

            assertThat(out.toString()).isEqualTo("a" + escaped + "b\n" + escaped);
            assertThat(err.toString()).isEqualTo("warning: a" + escaped + "b" + System.lineSeparator());
            out.getBuffer().setLength(0);
            err.getBuffer().setLength(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[2J", "]0;title", "[31m", "[8m", "c", "[1A"})
    void noCellOfATableControlsTheTerminal(String sequence) {
        Terminal terminal = terminal(true);
        TextTable table = new TextTable().left("POD").left("MESSAGE");
        table.row(List.of(
                TextTable.Cell.of(ESCAPE + sequence), new TextTable.Cell("a\n\tb" + ESCAPE + sequence, TextStyle.BAD)));

        table.print(terminal);
        terminal.out().flush();

        assertThat(out.toString().lines().toList())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("^[" + sequence)
                .endsWith(ESCAPE + "[31ma\\n\\tb^[" + sequence + ESCAPE + "[0m");
    }

    @Test
    void coloursOfTheProgramPassOnATerminalOnly() {
        terminal(true).out().print(ESCAPE + "[1mPOD" + ESCAPE + "[0m");
        terminal(false).out().print(ESCAPE + "[1mPOD" + ESCAPE + "[0m");

        assertThat(out.toString()).isEqualTo(ESCAPE + "[1mPOD" + ESCAPE + "[0m^[[1mPOD^[[0m");
    }

    @Test
    void jsonStaysJson() throws Exception {
        String text = "a\u001b[31m\u007f\u009b\r\n\"é😀";

        OutputFormat.JSON.printValue(Map.of("message", text), terminal(true));

        assertThat(out.toString()).doesNotContain("\u001b", "\u009b", "\u007f");
        assertThat(new ObjectMapper().readTree(out.toString()).path("message").asText())
                .isEqualTo(text);
    }
}
