// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.plugin.ThrownCopy;
import org.slf4j.event.KeyValuePair;

/**
 * The stack traces in a log. An exception that its message explains has none: a {@link PluginException}, and a request
 * to the cluster that failed. An exception that is thrown again at the same place, for the same plugin, has its stack
 * trace once in five minutes, and the place alone in between.
 */
final class StackTraces {
    private static final Duration ONCE_IN = Duration.ofMinutes(5);
    private static final int MOST_KNOWN = 1_000;
    private static final int MOST_FRAMES = 40;
    private static final int MOST_CAUSES = 10;
    private static final Set<String> OF_THE_JDK = Set.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

    private final LongSupplier nanoTime;
    private final Map<String, Long> shownByPlace = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /** Creates an instance that has shown no stack traces; the timer is monotonic. */
    StackTraces(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    static boolean isWorthShowing(IThrowableProxy thrown) {
        boolean hasFrames = false;
        IThrowableProxy cause = thrown;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
            if (isExpected(cause)) {
                return false;
            }
            hasFrames |= cause.getStackTraceElementProxyArray().length > 0;
            cause = cause.getCause();
        }
        return hasFrames;
    }

    // The message is sufficient: the cluster did not do something, or a plugin found an object missing or invalid.
    private static boolean isExpected(IThrowableProxy thrown) {
        if (!(thrown instanceof ThrowableProxy proxy)) {
            return false;
        }
        Throwable original = proxy.getThrowable();
        return original instanceof ClusterException
                || original instanceof PluginException
                || original instanceof IOException
                || original instanceof ThrownCopy copy
                        && (copy.isA(PluginException.class) || copy.isA(IOException.class));
    }

    /** Returns true if the stack trace of an event was not shown in the last minutes, and marks it as shown. */
    synchronized boolean isDue(ILoggingEvent event, IThrowableProxy thrown) {
        long now = nanoTime.getAsLong();
        String place = place(event, thrown);
        Long before = shownByPlace.get(place);
        if (before != null && now - before < ONCE_IN.toNanos()) {
            return false;
        }
        shownByPlace.put(place, now);
        return true;
    }

    private static String place(ILoggingEvent event, IThrowableProxy thrown) {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        Object plugin = "";
        for (KeyValuePair pair : pairs == null ? List.<KeyValuePair>of() : pairs) {
            plugin = pair.key.equals("plugin") ? pair.value : plugin;
        }
        return event.getLoggerName() + " " + plugin + " " + name(root(thrown)) + " "
                + frame(thrown).orElse("");
    }

    /** Returns the origin: the frame of the innermost cause that is next to the JDK's own; empty if there is none. */
    static Optional<String> frame(IThrowableProxy thrown) {
        for (StackTraceElementProxy frame : root(thrown).getStackTraceElementProxyArray()) {
            String type = frame.getStackTraceElement().getClassName();
            if (OF_THE_JDK.stream().noneMatch(type::startsWith)) {
                return Optional.of(frame.getStackTraceElement().toString());
            }
        }
        return Optional.empty();
    }

    private static IThrowableProxy root(IThrowableProxy thrown) {
        IThrowableProxy root = thrown;
        for (int i = 0; root.getCause() != null && i < MOST_CAUSES; i++) {
            root = root.getCause();
        }
        return root;
    }

    /** Innermost cause first, because it has the origin; at most some dozens of frames of each. */
    static String of(IThrowableProxy thrown) {
        StringBuilder text = new StringBuilder(2_000);
        append(text, thrown, MOST_CAUSES);
        return text.toString();
    }

    private static void append(StringBuilder text, IThrowableProxy thrown, int left) {
        if (thrown.getCause() != null && left > 0) {
            append(text, thrown.getCause(), left - 1);
            text.append("Wrapped by: ");
        }
        appendHeader(text, thrown);
        StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
        int most = Math.min(frames.length, MOST_FRAMES);
        for (int i = 0; i < most; i++) {
            text.append("\tat ").append(frames[i].getStackTraceElement()).append('\n');
        }
        if (frames.length > most) {
            text.append("\t... ").append(frames.length - most).append(" more\n");
        }
        for (IThrowableProxy suppressed : thrown.getSuppressed()) {
            text.append("Suppressed: ");
            appendHeader(text, suppressed);
        }
    }

    private static void appendHeader(StringBuilder text, IThrowableProxy thrown) {
        String name = name(thrown);
        String message = message(thrown);
        text.append(name);
        if (message.startsWith(name)) {
            text.append(message, name.length(), message.length());
        } else {
            text.append(": ").append(message);
        }
        text.append('\n');
    }

    private static Optional<ThrownCopy> copy(IThrowableProxy thrown) {
        return thrown instanceof ThrowableProxy proxy && proxy.getThrowable() instanceof ThrownCopy copy
                ? Optional.of(copy)
                : Optional.empty();
    }

    private static String name(IThrowableProxy thrown) {
        return copy(thrown).map(ThrownCopy::typeName).orElseGet(thrown::getClassName);
    }

    static String message(IThrowableProxy thrown) {
        Optional<ThrownCopy> copy = copy(thrown);
        if (copy.isPresent()) {
            return copy.get().text();
        }
        String message = thrown.getMessage();
        return message == null ? thrown.getClassName() : message;
    }
}
