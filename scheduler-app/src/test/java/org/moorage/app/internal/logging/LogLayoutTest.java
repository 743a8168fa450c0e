// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.plugin.Thrown;
import org.slf4j.event.KeyValuePair;

class LogLayoutTest {
    private final LoggerContext loggers = new LoggerContext();
    private final LogLayout layout = new LogLayout((any, thrown) -> true);
    private final JsonLogLayout json = new JsonLogLayout((any, thrown) -> true);
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
                .contains("] \"" + written + "\" pod=\"" + written + "\" err=\"" + written + "\" at=\"")
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
    void addsTheStackTraceOfAnUnexpectedException() {
        event.setLevel(Level.ERROR);
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("broken")));

        assertThat(layout.doLayout(event))
                .startsWith("E0412 10:15:02.123456 main Scheduler] \"Pod moved\" err=\"broken\" at=\""
                        + LogLayoutTest.class.getName()
                        + ".addsTheStackTraceOfAnUnexpectedException(LogLayoutTest.java:")
                .contains(")\"\njava.lang.IllegalStateException: broken\n\tat " + LogLayoutTest.class.getName());
    }

    @Test
    void showsWhereItWasThrownBeforeWhatItIsWrappedBy() {
        event.setLevel(Level.ERROR);
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("outer", cause())));

        assertThat(layout.doLayout(event))
                .containsSubsequence(
                        "err=\"outer\" at=\"" + LogLayoutTest.class.getName() + ".cause(",
                        "java.lang.NullPointerException: inner",
                        "Wrapped by: java.lang.IllegalStateException: outer");
    }

    private static NullPointerException cause() {
        try {
            Object ignored = Objects.requireNonNull(null, "inner");
            return new NullPointerException();
        } catch (NullPointerException e) {
            return e;
        }
    }

    @Test
    void showsSomeDozensOfFramesOfAStackThatOverflowed() {
        event.setLevel(Level.ERROR);
        event.setThrowableProxy(new ThrowableProxy(overflow()));

        assertThat(layout.doLayout(event).lines())
                .hasSizeLessThan(60)
                .anyMatch(line -> line.matches("\t... [0-9]+ more"));
    }

    private static StackOverflowError overflow() {
        try {
            recurse(0);
            return new StackOverflowError();
        } catch (StackOverflowError e) {
            return e;
        }
    }

    @SuppressWarnings("InfiniteRecursion") // to overflow the stack
    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    @Test
    void showsTheStackTraceOfOnePlaceAndPluginOnceInFiveMinutes() {
        AtomicLong nanos = new AtomicLong();
        LogLayout repeating = new LogLayout(new StackTraces(nanos::get)::isDue);
        List<Integer> lines = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            LoggingEvent again = new LoggingEvent();
            again.setInstant(Instant.EPOCH);
            again.setLoggerName("l");
            again.setThreadName("main");
            again.setLevel(Level.ERROR);
            again.setMessage("failed");
            again.addKeyValuePair(new KeyValuePair("plugin", round == 2 ? "Other" : "One"));
            again.setThrowableProxy(new ThrowableProxy(cause()));
            lines.add((int) Math.min(2, repeating.doLayout(again).lines().count()));
            nanos.addAndGet(Duration.ofMinutes(round == 2 ? 5 : 1).toNanos());
        }
        assertThat(lines).containsExactly(2, 1, 2, 2);
    }

    @Test
    void writesDurationsLikeKlog() {
        event.setLevel(Level.INFO);
        event.addKeyValuePair(new KeyValuePair("nextTry", Duration.ofNanos(663_262_127)));

        assertThat(layout.doLayout(event)).endsWith(" nextTry=\"663.262127ms\"\n");
        assertThat(json.doLayout(event)).contains("\"nextTry\":\"663.262127ms\"");
    }

    @Test
    void reportsAValueWithoutText() {
        event.setLevel(Level.INFO);
        event.addKeyValuePair(new KeyValuePair("value", new Object() {
            @Override
            public String toString() {
                throw new NoClassDefFoundError("org/example/Missing");
            }
        }));

        assertThat(layout.doLayout(event))
                .endsWith(" value=\"(its text cannot be made: java.lang.NoClassDefFoundError)\"\n");
        assertThat(json.doLayout(event)).contains("its text cannot be made");
    }

    record Timestamp(String time, String written) {}

    static final List<Timestamp> TIMESTAMPS = List.of(
            new Timestamp("2026-04-12T10:15:02.123456Z", "1775988902123.456"),
            new Timestamp("2026-04-12T10:15:02.120Z", "1775988902120"),
            new Timestamp("2026-04-12T10:15:00Z", "1775988900000"),
            new Timestamp("2026-04-12T10:15:00.0005Z", "1775988900000.5"));

    @ParameterizedTest
    @FieldSource("TIMESTAMPS")
    void writesMillisecondsInPlainDigits(Timestamp c) {
        event.setLevel(Level.INFO);
        event.setInstant(Instant.parse(c.time));
        assertThat(json.doLayout(event)).startsWith("{\"ts\":" + c.written + ",");
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
    void keepsToOneLineWhatAPluginFoundMissing() {
        event.setLevel(Level.ERROR);
        Throwable copy = Thrown.copyOf(new PluginException("claim \"c\" not found", cause()));
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("running Filter", copy)));

        assertThat(layout.doLayout(event))
                .isEqualTo("E0412 10:15:02.123456 main Scheduler] \"Pod moved\" err=\"running Filter\"\n");
    }

    @Test
    void showsTheCopyOfAnExceptionAsTheException() {
        event.setLevel(Level.ERROR);
        event.setThrowableProxy(new ThrowableProxy(Thrown.copyOf(new IllegalStateException("outer", cause()))));

        assertThat(layout.doLayout(event))
                .contains("err=\"outer\" at=\"" + LogLayoutTest.class.getName() + ".cause(")
                .containsSubsequence(
                        "\njava.lang.NullPointerException: inner\n\tat java.base/java.util.Objects.requireNonNull(",
                        "\nWrapped by: java.lang.IllegalStateException: outer\n\tat ");
    }

    @Test
    void writesJsonLikeKubeScheduler() {
        event.setLevel(Level.INFO);
        event.addKeyValuePair(new KeyValuePair("pod", "default/\"web\""));
        event.addKeyValuePair(new KeyValuePair("attempts", 3));

        assertThat(json.doLayout(event))
                .isEqualTo("{\"ts\":1775988902123.456,\"caller\":\"Scheduler\",\"msg\":\"Pod moved\",\"v\":0,"
                        + "\"pod\":\"default/\\\"web\\\"\",\"attempts\":3}\n");
    }
}
