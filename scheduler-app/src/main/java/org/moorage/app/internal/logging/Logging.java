// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Logs to stderr, in lines like those of kube-scheduler. Logback finds it as a service before it looks for its own
 * files, which makes short commands start faster.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    /** The format of the lines. */
    public enum Format {
        /** Lines of text. */
        text,
        /** JSON objects. */
        json
    }

    /** Moorage's own loggers, those of plugins among them. */
    private static final String OWN = "org.moorage";

    /** Libraries of the program, whose lines about requests and connections only help those who debug the libraries. */
    private static final List<String> LIBRARIES = List.of(
            "io.netty",
            "okhttp3",
            "okio",
            "io.prometheus",
            "dev.cel",
            "com.google",
            "com.fasterxml",
            "java",
            "javax",
            "jdk",
            "sun",
            "com.sun");

    /** The verbosity from which on libraries log as much as the program itself. */
    private static final int WITH_LIBRARIES = 6;

    private static final String STDERR = "stderr";
    // Before anything takes its place.
    private static final PrintStream REAL_STDERR = System.err;
    private static final String WAITING = "waiting";
    private static final int MOST_WAITING = 10_000;
    private static final Duration FLUSH_TIMEOUT = Duration.ofMillis(500);

    /** For Logback. */
    public Logging() {}

    /** The level of a verbosity as kube-scheduler counts it: lifecycle only, a line per pod, or a line per node. */
    public static Level level(int verbosity) {
        if (verbosity < 2) {
            return Level.INFO;
        }
        return verbosity < 4 ? Level.DEBUG : Level.TRACE;
    }

    /**
     * Sets what is logged from now on, as the flag {@code --v} does. Libraries log warnings only, unless the verbosity
     * is 6 or more.
     */
    public static void use(int verbosity) {
        use(level(verbosity), verbosity >= WITH_LIBRARIES);
    }

    /** Sets what is logged from now on. Libraries log warnings only. */
    public static void use(Level level) {
        use(level, false);
    }

    private static void use(Level level, boolean withLibraries) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(OWN).setLevel(level);
            // Loggers that plugins name as they like.
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(withLibraries ? level : atLeast(Level.INFO, level));
            Level ofLibraries = withLibraries ? level : atLeast(Level.WARN, level);
            LIBRARIES.forEach(name -> context.getLogger(name).setLevel(ofLibraries));
        }
    }

    private static Level atLeast(Level least, Level level) {
        return level.isGreaterOrEqual(least) ? level : least;
    }

    /**
     * Logs for a long-lived process: threads do not wait for the reader of the log any more.
     *
     * @param format how the lines look
     * @param verbosityByModule verbosities of some classes, by the pattern of their simple names
     * @param threads makes the thread that writes
     */
    public static void useForService(Format format, Map<String, Integer> verbosityByModule, ThreadFactory threads) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAppender(WAITING);
        root.detachAppender(STDERR);
        StackTraces traces = new StackTraces(System::nanoTime);
        Layout<ILoggingEvent> layout =
                format == Format.json ? new JsonLogLayout(traces::isDue) : new LogLayout(traces::isDue);
        BoundedAppender waiting = new BoundedAppender(MOST_WAITING, stderr(context, layout), threads);
        waiting.setContext(context);
        waiting.setName(WAITING);
        waiting.start();
        root.addAppender(waiting);
        context.resetTurboFilterList();
        if (!verbosityByModule.isEmpty()) {
            context.addTurboFilter(new ModuleVerbosity(verbosityByModule));
        }
    }

    /**
     * Redirects what this process prints, and what it logs by {@code java.util.logging}, to the log, so that a reader
     * of its output or of its JSON log sees nothing else.
     */
    public static void takePrints() {
        System.setOut(PrintedLines.named("stdout", REAL_STDERR));
        System.setErr(PrintedLines.named("stderr", REAL_STDERR));
        PlatformLog.install();
    }

    /** Returns how many lines were dropped since the reader of the log was too slow. */
    public static long dropped() {
        return waiting() instanceof BoundedAppender appender ? appender.dropped() : 0;
    }

    /** Waits for a moment until what was logged is written; before the process ends. */
    public static void flush() {
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
        OutputStreamAppender<ILoggingEvent> stderr = new OutputStreamAppender<>();
        stderr.setContext(loggers);
        stderr.setName(STDERR);
        stderr.setEncoder(encoder);
        stderr.setOutputStream(new Unclosed(REAL_STDERR));
        stderr.start();
        return stderr;
    }

    /** A stream that stays open when the log is set up again. */
    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream real) {
            super(real);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    /**
     * Logs the failure of a plugin at the same place once, also if it fails for many pods, unless all details are
     * logged.
     */
    private static final class OncePerPlace extends Filter<ILoggingEvent> {
        private final Logger own;
        private final StackTraces seen = new StackTraces(System::nanoTime);

        OncePerPlace(Logger own) {
            this.own = own;
        }

        @Override
        public FilterReply decide(ILoggingEvent event) {
            IThrowableProxy thrown = event.getThrowableProxy();
            boolean isShown =
                    thrown == null || showsAll(own) || !StackTraces.isWorthShowing(thrown) || seen.isDue(event, thrown);
            return isShown ? FilterReply.NEUTRAL : FilterReply.DENY;
        }
    }

    private static boolean showsAll(Logger own) {
        return own.getEffectiveLevel() == Level.TRACE;
    }

    @Override
    public ExecutionStatus configure(LoggerContext loggers) {
        Logger root = loggers.getLogger(Logger.ROOT_LOGGER_NAME);
        Logger own = loggers.getLogger(OWN);
        Appender<ILoggingEvent> stderr = stderr(loggers, new LogLayout((event, thrown) -> showsAll(own)));
        stderr.addFilter(new OncePerPlace(own));
        root.addAppender(stderr);
        root.setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
