// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Logs to stderr, in lines like those of kube-scheduler. Logback finds it as a service before it looks for files of its own,
 * which makes short commands start faster.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    /** How the lines look. */
    enum Format {
        /** Lines of text. */
        text,
        /** JSON objects. */
        json
    }

    // They tell about each request and connection.
    private static final List<String> TALKATIVE = List.of("okhttp3", "sun", "com.sun", "jdk");
    private static final String STDERR = "stderr";
    private static final String WAITING = "waiting";
    private static final int MOST_WAITING = 10_000;
    private static final Duration FLUSH_TIMEOUT = Duration.ofMillis(500);

    /** For Logback. */
    public Logging() {}

    /** The level of a verbosity as kube-scheduler counts it: lifecycle only, a line per pod, or a line per node. */
    static Level level(int verbosity) {
        if (verbosity < 2) {
            return Level.INFO;
        }
        return verbosity < 4 ? Level.DEBUG : Level.TRACE;
    }

    /** Sets what is logged from now on. */
    static void use(Level level) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(level);
            Level quiet = level.isGreaterOrEqual(Level.INFO) ? level : Level.INFO;
            TALKATIVE.forEach(name -> context.getLogger(name).setLevel(quiet));
        }
    }

    /**
     * Has a long-lived process log: nobody waits for the reader of the log any more.
     *
     * @param format how the lines look
     * @param verbosityByModule verbosities of some classes, by the pattern of their simple names
     */
    static void useForService(Format format, Map<String, Integer> verbosityByModule) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAppender(WAITING);
        root.detachAppender(STDERR);
        BoundedAppender waiting = new BoundedAppender(
                MOST_WAITING, stderr(context, format == Format.json ? new JsonLogLayout() : new LogLayout()));
        waiting.setContext(context);
        waiting.setName(WAITING);
        waiting.start();
        root.addAppender(waiting);
        context.resetTurboFilterList();
        if (!verbosityByModule.isEmpty()) {
            context.addTurboFilter(new ModuleVerbosity(verbosityByModule));
        }
    }

    /** How many lines were dropped since whoever reads the log was too slow. */
    static long dropped() {
        return waiting() instanceof BoundedAppender appender ? appender.dropped() : 0;
    }

    /** Waits for a moment until what was logged is written; before the process ends. */
    static void flush() {
        if (waiting() instanceof BoundedAppender appender) {
            appender.flush(FLUSH_TIMEOUT);
        }
    }

    private static @Nullable Appender<ILoggingEvent> waiting() {
        return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                ? context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(WAITING)
                : null;
    }

    private static Appender<ILoggingEvent> stderr(LoggerContext loggers, Layout<ILoggingEvent> layout) {
        layout.setContext(loggers);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(loggers);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(loggers);
        stderr.setName(STDERR);
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder);
        stderr.start();
        return stderr;
    }

    @Override
    public ExecutionStatus configure(LoggerContext loggers) {
        Logger root = loggers.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(stderr(loggers, new LogLayout()));
        root.setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
