// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.log;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log of a class of the scheduler. Writing a line never throws, since scheduling must not depend on the log: an
 * exception of the logging library is dropped. Values become text when they are added, and exceptions become copies, so
 * that the library does not run foreign code, possibly later and on another thread.
 */
public final class Log {
    private final Logger logger;

    Log(Logger logger) {
        this.logger = logger;
    }

    /** Returns the log of a class. */
    public static Log of(Class<?> type) {
        return new Log(LoggerFactory.getLogger(type));
    }

    /** Begins a line about an error. */
    public Line atError() {
        return at(Level.ERROR);
    }

    /** Begins a line with a warning. */
    public Line atWarn() {
        return at(Level.WARN);
    }

    /** Begins a line about a rare event. */
    public Line atInfo() {
        return at(Level.INFO);
    }

    /** Begins a line about an event that occurs for each pod. */
    public Line atDebug() {
        return at(Level.DEBUG);
    }

    /** Begins a line about a frequent event. */
    public Line atTrace() {
        return at(Level.TRACE);
    }

    private Line at(Level level) {
        try {
            return logger.isEnabledForLevel(level) ? new Line(logger.atLevel(level)) : Line.NONE;
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            return Line.NONE;
        }
    }

    /** A line that is written with {@link #log}. */
    public static final class Line {
        private static final Line NONE = new Line(null);

        // Null if the level is disabled.
        private @Nullable LoggingEventBuilder builder;

        private Line(@Nullable LoggingEventBuilder builder) {
            this.builder = builder;
        }

        /** Adds a value. */
        public Line addKeyValue(String key, @Nullable Object value) {
            if (builder != null) {
                try {
                    builder = builder.addKeyValue(key, shown(value));
                } catch (Throwable thrown) {
                    failed(thrown);
                }
            }
            return this;
        }

        /** Adds an exception. */
        public Line setCause(Throwable thrown) {
            if (builder != null) {
                try {
                    builder = builder.setCause(thrown instanceof SafeException ? thrown : Thrown.copyOf(thrown));
                } catch (Throwable failure) {
                    failed(failure);
                }
            }
            return this;
        }

        /** Writes the line. */
        public void log(String message) {
            if (builder != null) {
                try {
                    builder.log(message);
                } catch (Throwable thrown) {
                    failed(thrown);
                }
            }
        }

        private void failed(Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            builder = null;
        }

        private static Object shown(@Nullable Object value) {
            return value instanceof Integer
                            || value instanceof Long
                            || value instanceof Boolean
                            || value instanceof Duration
                    ? value
                    : PluginText.of(value);
        }
    }
}
