// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs to stderr, in lines like those of kube-scheduler. Logback finds it as a service before it looks for files of its own,
 * which makes short commands start faster.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    // They tell about each request and connection.
    private static final List<String> TALKATIVE = List.of("io.kubernetes", "okhttp3");

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

    @Override
    public ExecutionStatus configure(LoggerContext loggers) {
        LogLayout layout = new LogLayout();
        layout.setContext(loggers);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(loggers);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(loggers);
        stderr.setName("stderr");
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder);
        stderr.start();
        ch.qos.logback.classic.Logger root = loggers.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(stderr);
        root.setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
