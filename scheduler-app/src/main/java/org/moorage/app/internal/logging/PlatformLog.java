// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** A handler that writes what libraries and plugins log by {@code java.util.logging} to the program's log. */
final class PlatformLog extends Handler {
    private final Formatter messages = new SimpleFormatter();

    private PlatformLog() {}

    /** Replaces the JDK's default handlers. */
    static void install() {
        LogManager.getLogManager().reset();
        java.util.logging.Logger.getLogger("").addHandler(new PlatformLog());
    }

    @Override
    public void publish(LogRecord said) {
        String name = said.getLoggerName();
        LoggingEventBuilder line =
                LoggerFactory.getLogger(name == null ? "" : name).atLevel(level(said.getLevel()));
        Throwable thrown = said.getThrown();
        (thrown == null ? line : line.setCause(thrown)).log(String.valueOf(messages.formatMessage(said)));
    }

    private static org.slf4j.event.Level level(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return org.slf4j.event.Level.ERROR;
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return org.slf4j.event.Level.WARN;
        }
        return level.intValue() >= Level.INFO.intValue() ? org.slf4j.event.Level.INFO : org.slf4j.event.Level.DEBUG;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
