// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.plugin.ClusterException;
import org.slf4j.event.KeyValuePair;

class LogLayoutTest {
    private final LoggerContext loggers = new LoggerContext();
    private final LogLayout layout = new LogLayout();
    private final LoggingEvent event = new LoggingEvent();

    @BeforeEach
    void prepare() {
        layout.setContext(loggers);
        event.setInstant(Instant.parse("2026-04-12T10:15:02.123456Z"));
        event.setLoggerName("org.moorage.runtime.Scheduler");
        event.setThreadName("main");
        event.setMessage("Pod moved");
    }

    @Test
    void writesLinesLikeKubeScheduler() {
        event.setLevel(Level.INFO);
        event.addKeyValuePair(new KeyValuePair("pod", "default/web-1"));
        event.addKeyValuePair(new KeyValuePair("attempts", 3));

        assertThat(layout.doLayout(event))
                .isEqualTo("I0412 10:15:02.123456 main Scheduler] \"Pod moved\" pod=\"default/web-1\" attempts=3\n");
    }

    @Test
    void keepsEachMessageOnOneLine() {
        event.setLevel(Level.INFO);
        event.addKeyValuePair(new KeyValuePair("err", "a \"b\"\nc"));

        assertThat(layout.doLayout(event)).endsWith("\"Pod moved\" err=\"a \\\"b\\\"\\nc\"\n");
    }

    @ParameterizedTest
    @CsvSource({
        "'\u001b[2J\u001b[1;31mgone', \\x1b[2J\\x1b[1;31mgone",
        "'\u0000\u0008\u007f', \\x00\\x08\\x7f",
        "'\u009b31m', \\u009b31m",
        "'\u202egnp.exe\u2028', \\u202egnp.exe\\u2028",
        "'Grüße \ud83d\ude00', Grüße \ud83d\ude00",
    })
    void escapesWhatATerminalWouldObey(String text, String written) {
        LoggingEvent said = event("main", "org.moorage.runtime.Scheduler", text);
        said.addKeyValuePair(new KeyValuePair("pod", text));
        said.setThrowableProxy(new ThrowableProxy(new IllegalStateException(text)));

        assertThat(layout.doLayout(said))
                .contains("] \"" + written + "\" pod=\"" + written + "\" err=\"" + written + "\"\n")
                .contains("IllegalStateException: " + written + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "main, main",
        "scheduler-bind-1, scheduler-bind-1",
        "'', '\"\"'",
        "'my thread', '\"my thread\"'",
        "'a] \"Pod bound\"', '\"a] \\\"Pod bound\\\"\"'",
        "'a\nI0412', '\"a\\nI0412\"'",
    })
    void quotesNamesThatAreNoWords(String name, String written) {
        LoggingEvent said = event(name, "org.moorage." + name, "Pod moved");
        said.addKeyValuePair(new KeyValuePair(name, 1));

        assertThat(layout.doLayout(said))
                .isEqualTo("I0412 10:15:02.123456 " + written + " " + written + "] \"Pod moved\" " + written + "=1\n");
    }

    private static LoggingEvent event(String thread, String logger, String message) {
        LoggingEvent event = new LoggingEvent();
        event.setInstant(Instant.parse("2026-04-12T10:15:02.123456Z"));
        event.setLevel(Level.INFO);
        event.setLoggerName(logger);
        event.setThreadName(thread);
        event.setMessage(message);
        return event;
    }

    @Test
    void addsTheStackTraceOfWhatNobodyExpects() {
        event.setLevel(Level.ERROR);
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("broken")));

        assertThat(layout.doLayout(event))
                .startsWith("E0412 10:15:02.123456 main Scheduler] \"Pod moved\" err=\"broken\"\n"
                        + "java.lang.IllegalStateException: broken")
                .contains("\tat " + LogLayoutTest.class.getName());
    }

    @Test
    void keepsToOneLineWhatTheClusterDidNotDo() {
        event.setLevel(Level.ERROR);
        event.setThrowableProxy(
                new ThrowableProxy(new IllegalStateException("bind", new ClusterException("refused", 500, null))));

        assertThat(layout.doLayout(event))
                .isEqualTo("E0412 10:15:02.123456 main Scheduler] \"Pod moved\" err=\"bind\"\n");
    }

    @Test
    void writesJsonLikeKubeScheduler() {
        event.setLevel(Level.INFO);
        event.addKeyValuePair(new KeyValuePair("pod", "default/\"web\""));
        event.addKeyValuePair(new KeyValuePair("attempts", 3));

        assertThat(new JsonLogLayout().doLayout(event))
                .isEqualTo("{\"ts\":1.775988902123456E12,\"caller\":\"Scheduler\",\"msg\":\"Pod moved\",\"v\":0,"
                        + "\"pod\":\"default/\\\"web\\\"\",\"attempts\":3}\n");
    }
}
