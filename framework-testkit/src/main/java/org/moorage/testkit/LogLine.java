// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.PluginLogger;

/**
 * A line that the plugin under test logged.
 *
 * @param level the level
 * @param message the message
 * @param values the values by key, in the plugin's order
 * @param thrown the exception; empty if the line has none
 */
public record LogLine(
        PluginLogger.Level level, String message, Map<String, @Nullable Object> values, Optional<Throwable> thrown) {
    public LogLine {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * Returns message and values in one line, for example {@code Prices are too old url="http://prices" age="PT1M"}.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(message);
        values.forEach((key, value) ->
                text.append(' ').append(key).append("=\"").append(value).append('"'));
        return text.toString();
    }

    /** Records each line and forwards it. Throws if a line violates the contract of {@link PluginLogger}. */
    record Recorder(PluginLogger log, List<LogLine> lines) implements PluginLogger {
        @Override
        public boolean isEnabled(Level level) {
            return true;
        }

        @Override
        public void log(Level level, String message, @Nullable Throwable thrown, @Nullable Object... keysAndValues) {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            List<Object> odd = new ArrayList<>();
            for (int i = 0; i < keysAndValues.length; i += 2) {
                if (i + 1 < keysAndValues.length && keysAndValues[i] instanceof String key) {
                    values.put(key, keysAndValues[i + 1]);
                } else {
                    odd.add(String.valueOf(keysAndValues[i]));
                }
            }
            if (!odd.isEmpty()) {
                throw new IllegalArgumentException("log line \"" + message + "\": " + odd
                        + " (expected: texts as keys, each with a value after it)");
            }
            lines.add(new LogLine(level, message, values, Optional.ofNullable(thrown)));
            log.log(level, message, thrown, keysAndValues);
        }
    }
}
