// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.jspecify.annotations.Nullable;

/**
 * The logger of one plugin. It writes lines in the scheduler's format, at the scheduler's levels, under the plugin's
 * name. {@link Handle#logger} returns it, also while the plugin is created. Thread-safe.
 *
 * <pre>{@code
 * logger.warn("Prices are too old", "url", args.url(), "age", age);
 * }</pre>
 *
 * <p>The message is constant and contains no values. The values follow as pairs of a key, a {@link String}, and a
 * value. Objects of the cluster are logged by namespace and name, nodes of a cycle by name, and all other values by
 * {@link Object#toString}.
 *
 * <p>A plugin does not log its results: the reason is in the {@link org.moorage.api.Status}, which the scheduler
 * reports.
 */
public interface PluginLogger {
    /** The severity of a line, highest first; {@code --v} selects the levels that are written. */
    enum Level {
        /** Someone must act. */
        ERROR,
        /** Operation is degraded. */
        WARN,
        /** The start or end of something that lasts; always written. */
        INFO,
        /** About one line per pod; written from {@code --v=2} on. */
        DEBUG,
        /** About one line per node; written from {@code --v=4} on. */
        TRACE
    }

    /** Returns whether lines of that level are written; check it before computing expensive values. */
    boolean isEnabled(Level level);

    /**
     * Writes a line, if its level is enabled.
     *
     * @param level the level
     * @param message what happened, without values
     * @param thrown the exception whose stack trace is appended, or null
     * @param keysAndValues alternating keys and values
     */
    void log(Level level, String message, @Nullable Throwable thrown, @Nullable Object... keysAndValues);

    /** Logs at level ERROR: someone must act. */
    default void error(String message, @Nullable Object... keysAndValues) {
        log(Level.ERROR, message, null, keysAndValues);
    }

    /** Logs an exception at level ERROR: someone must act. */
    default void error(String message, Throwable thrown, @Nullable Object... keysAndValues) {
        log(Level.ERROR, message, thrown, keysAndValues);
    }

    /** Logs at level WARN: operation is degraded. */
    default void warn(String message, @Nullable Object... keysAndValues) {
        log(Level.WARN, message, null, keysAndValues);
    }

    /** Logs an exception at level WARN: operation is degraded. */
    default void warn(String message, Throwable thrown, @Nullable Object... keysAndValues) {
        log(Level.WARN, message, thrown, keysAndValues);
    }

    /** Logs at level INFO: the start or end of something that lasts. */
    default void info(String message, @Nullable Object... keysAndValues) {
        log(Level.INFO, message, null, keysAndValues);
    }

    /** Logs at level DEBUG: about one line per pod. */
    default void debug(String message, @Nullable Object... keysAndValues) {
        log(Level.DEBUG, message, null, keysAndValues);
    }

    /** Logs at level TRACE: about one line per node. */
    default void trace(String message, @Nullable Object... keysAndValues) {
        log(Level.TRACE, message, null, keysAndValues);
    }
}
