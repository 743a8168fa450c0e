// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.PluginLogger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** A plugin's lines in the log of the program: the logger is {@code org.moorage.plugin.} and the plugin's name. */
final class PluginLog implements PluginLogger {
    private static final String PREFIX = "org.moorage.plugin.";

    // As klog has it: a line with a mistake in it is better than none.
    private static final String MISSING = "(MISSING)";

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
        for (int i = 0; i < keysAndValues.length; i += 2) {
            Object value = i + 1 < keysAndValues.length ? keysAndValues[i + 1] : MISSING;
            line = line.addKeyValue(String.valueOf(keysAndValues[i]), shown(value));
        }
        (thrown == null ? line : line.setCause(thrown)).log(message);
    }

    private static @Nullable Object shown(@Nullable Object value) {
        if (value instanceof ClusterObject object) {
            return object.key();
        }
        return value instanceof NodeInfo node ? node.name() : value;
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
