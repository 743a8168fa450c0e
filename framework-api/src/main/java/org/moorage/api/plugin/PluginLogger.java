// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.jspecify.annotations.Nullable;

/**
 * The log of one plugin: lines in the scheduler's own form, at the scheduler's own levels, under the plugin's name. Had from {@link
 * Handle#logger}, also while the plugin is made; for use by any thread.
 *
 * <pre>{@code
 * logger.warn("Prices are too old", "url", args.url(), "age", age);
 * }</pre>
 *
 * <p>The text is the same each time and has no values in it. These follow, a key and its value each, the key a {@link String}. Of an
 * object of the cluster the log has namespace and name, of a node in a cycle the name, of others {@link Object#toString}.
 *
 * <p>A plugin does not log what it answers: the reason is in the {@link org.moorage.api.Status}, which the scheduler reports.
 */
public interface PluginLogger {
    /** How much a line matters, most first; {@code --v} says which are written. */
    enum Level {
        /** Someone must act. */
        ERROR,
        /** Something works less well than it should. */
        WARN,
        /** A plugin began or ended something that lasts; always written. */
        INFO,
        /** A line or so for each pod; written from {@code --v=2} on. */
        DEBUG,
        /** A line or so for each node; written from {@code --v=4} on. */
        TRACE
    }

    /** Whether lines of that level are written, for values that take long to find out. */
    boolean isEnabled(Level level);

    /**
     * Writes a line, if lines of that level are written.
     *
     * @param level how much it matters
     * @param message what happened, without values
     * @param thrown what was thrown, whose stack trace follows; or null
     * @param keysAndValues a key and its value each
     */
    void log(Level level, String message, @Nullable Throwable thrown, @Nullable Object... keysAndValues);

    /** Someone must act. */
    default void error(String message, @Nullable Object... keysAndValues) {
        log(Level.ERROR, message, null, keysAndValues);
    }

    /** Someone must act, since this was thrown. */
    default void error(String message, Throwable thrown, @Nullable Object... keysAndValues) {
        log(Level.ERROR, message, thrown, keysAndValues);
    }

    /** Something works less well than it should. */
    default void warn(String message, @Nullable Object... keysAndValues) {
        log(Level.WARN, message, null, keysAndValues);
    }

    /** Something works less well than it should, since this was thrown. */
    default void warn(String message, Throwable thrown, @Nullable Object... keysAndValues) {
        log(Level.WARN, message, thrown, keysAndValues);
    }

    /** Something that lasts begins or ends. */
    default void info(String message, @Nullable Object... keysAndValues) {
        log(Level.INFO, message, null, keysAndValues);
    }

    /** A line or so for each pod. */
    default void debug(String message, @Nullable Object... keysAndValues) {
        log(Level.DEBUG, message, null, keysAndValues);
    }

    /** A line or so for each node. */
    default void trace(String message, @Nullable Object... keysAndValues) {
        log(Level.TRACE, message, null, keysAndValues);
    }
}
