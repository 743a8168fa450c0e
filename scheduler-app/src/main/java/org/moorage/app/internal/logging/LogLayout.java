// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.BiPredicate;
import org.slf4j.event.KeyValuePair;

/**
 * Lines in the form of kube-scheduler's log:
 *
 * <pre>{@code
 * I0412 10:15:02.123456 scheduler-bind-1 Scheduler] "Successfully bound pod to node" pod="default/web-1" node="node-a"
 * }</pre>
 *
 * <p>An exception is logged as the value {@code err}, and its origin as {@code at}, unless it only reports that the
 * cluster did not do something. Its stack trace may follow.
 */
public final class LogLayout extends LayoutBase<ILoggingEvent> {
    /** Created with the first line, because the log is set up before the program starts and must not delay it. */
    private static final class Time {
        static final DateTimeFormatter FORMAT =
                DateTimeFormatter.ofPattern("MMdd HH:mm:ss.SSSSSS", Locale.ROOT).withZone(ZoneId.systemDefault());
    }

    private final BiPredicate<ILoggingEvent, IThrowableProxy> hasTrace;

    /** Lines some of which a stack trace follows. */
    public LogLayout(BiPredicate<ILoggingEvent, IThrowableProxy> hasTrace) {
        this.hasTrace = hasTrace;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String logger = event.getLoggerName();
        StringBuilder line = new StringBuilder(200)
                .append(letter(event.getLevel()))
                .append(Time.FORMAT.format(event.getInstant()))
                .append(' ');
        name(line, event.getThreadName());
        line.append(' ');
        name(line, logger.substring(logger.lastIndexOf('.') + 1));
        line.append("] ");
        quote(line, event.getFormattedMessage());
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            for (KeyValuePair pair : pairs) {
                append(line, pair.key, pair.value);
            }
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown == null) {
            return line.append('\n').toString();
        }
        append(line, "err", StackTraces.message(thrown));
        if (!StackTraces.isWorthShowing(thrown)) {
            return line.append('\n').toString();
        }
        StackTraces.frame(thrown).ifPresent(frame -> append(line, "at", frame));
        line.append('\n');
        if (hasTrace.test(event, thrown)) {
            printable(line, StackTraces.of(thrown));
        }
        return line.toString();
    }

    private static char letter(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> 'E';
            case Level.WARN_INT -> 'W';
            default -> 'I';
        };
    }

    private static void append(StringBuilder line, String key, Object value) {
        line.append(' ');
        name(line, key);
        line.append('=');
        if (value instanceof Number || value instanceof Boolean) {
            line.append(value);
        } else {
            quote(line, LogValues.text(value));
        }
    }

    // Plugins name threads, loggers and keys; names that look like other parts of the line are quoted.
    private static void name(StringBuilder line, String name) {
        boolean isPlain = !name.isEmpty();
        for (int i = 0; isPlain && i < name.length(); i++) {
            char c = name.charAt(i);
            isPlain = c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '=' && c != ']';
        }
        if (isPlain) {
            line.append(name);
        } else {
            quote(line, name);
        }
    }

    private static void quote(StringBuilder line, String text) {
        line.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> printable(line, c);
            }
        }
        line.append('"');
    }

    // Keeps line breaks and tabs of a text with several lines.
    private static void printable(StringBuilder line, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\t') {
                line.append(c);
            } else {
                printable(line, c);
            }
        }
    }

    // A terminal would obey control characters, and show what follows some format characters in another order. Escaped
    // as Go does.
    private static void printable(StringBuilder line, char c) {
        if (c >= ' ' && c <= '~' || !isControl(c)) {
            line.append(c);
        } else if (c <= '~' + 1) {
            line.append(String.format(Locale.ROOT, "\\x%02x", (int) c));
        } else {
            line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
        }
    }

    private static boolean isControl(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
