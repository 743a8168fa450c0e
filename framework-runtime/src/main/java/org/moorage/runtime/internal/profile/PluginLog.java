// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.profile;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A logger of a plugin, which writes to the log of the program: its name is {@code org.moorage.plugin.} and the
 * plugin's name.
 */
final class PluginLog implements PluginLogger {
    private static final String PREFIX = "org.moorage.plugin.";

    // As in klog: a line with a mistake in it is better than none.
    private static final String MISSING = "(MISSING)";

    private static final int MOST_OF_LINE = 4 * PluginText.MOST;

    /** Immutable types with a short text that throws nothing. */
    private static final Set<Class<?>> AS_THEY_ARE = Set.of(
            Integer.class,
            Long.class,
            Short.class,
            Byte.class,
            Double.class,
            Float.class,
            Boolean.class,
            Duration.class);

    private final Logger logger;

    PluginLog(String plugin) {
        logger = LoggerFactory.getLogger(PREFIX + plugin);
    }

    @Override
    public boolean isEnabled(Level level) {
        return logger.isEnabledForLevel(of(level));
    }

    @Override
    public void log(Level level, String message, @Nullable Throwable thrown, @Nullable Object... keysAndValues) {
        if (!isEnabled(level)) {
            return;
        }
        LoggingEventBuilder line = logger.atLevel(of(level));
        int left = MOST_OF_LINE;
        for (int i = 0; i < keysAndValues.length; i += 2) {
            if (left <= 0) {
                line = line.addKeyValue("leftOut", (keysAndValues.length - i + 1) / 2);
                break;
            }
            Object value = shown(i + 1 < keysAndValues.length ? keysAndValues[i + 1] : MISSING);
            String key = PluginText.of(keysAndValues[i]);
            line = line.addKeyValue(key, value);
            left -= key.length() + (value instanceof String text ? text.length() : 0);
        }
        (thrown == null ? line : line.setCause(Thrown.copyOf(thrown))).log(PluginText.of(message));
    }

    // Formatted now, on the plugin's thread and within its call: another thread writes the log, later.
    private static Object shown(@Nullable Object value) {
        return value != null && AS_THEY_ARE.contains(value.getClass()) ? value : PluginText.of(value);
    }

    private static org.slf4j.event.Level of(Level level) {
        return switch (level) {
            case ERROR -> org.slf4j.event.Level.ERROR;
            case WARN -> org.slf4j.event.Level.WARN;
            case INFO -> org.slf4j.event.Level.INFO;
            case DEBUG -> org.slf4j.event.Level.DEBUG;
            case TRACE -> org.slf4j.event.Level.TRACE;
        };
    }
}
