// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.function.BiPredicate;
import org.slf4j.event.KeyValuePair;

/**
 * A JSON object for each line, in the form of kube-scheduler's {@code --logging-format=json}:
 *
 * <pre>{@code
 * {"ts":1775988902123.456,"caller":"Scheduler","msg":"Successfully bound pod to node","v":2,"pod":"default/web-1"}
 * }</pre>
 */
final class JsonLogLayout extends LayoutBase<ILoggingEvent> {
    private final BiPredicate<ILoggingEvent, IThrowableProxy> hasTrace;

    /** Lines some of which have a stack trace. */
    JsonLogLayout(BiPredicate<ILoggingEvent, IThrowableProxy> hasTrace) {
        this.hasTrace = hasTrace;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        Instant time = event.getInstant();
        line.put("ts", milliseconds(time));
        String logger = event.getLoggerName();
        line.put("caller", logger.substring(logger.lastIndexOf('.') + 1));
        line.put("msg", event.getFormattedMessage());
        // As in kube-scheduler, what has no verbosity is an error.
        switch (event.getLevel().toInt()) {
            case Level.ERROR_INT -> {}
            case Level.DEBUG_INT -> line.put("v", 2);
            case Level.TRACE_INT -> line.put("v", 4);
            default -> line.put("v", 0);
        }
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            for (KeyValuePair pair : pairs) {
                put(line, pair);
            }
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            line.put("err", StackTraces.message(thrown));
            if (StackTraces.isWorthShowing(thrown)) {
                StackTraces.frame(thrown).ifPresent(frame -> line.put("at", frame));
                if (hasTrace.test(event, thrown)) {
                    line.put("stacktrace", StackTraces.of(thrown));
                }
            }
        }
        return line + "\n";
    }

    // With their fraction and all their digits: a number of floating point would be written with an exponent.
    private static BigDecimal milliseconds(Instant time) {
        BigDecimal exact = BigDecimal.valueOf(time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000, 3)
                .stripTrailingZeros();
        return exact.scale() < 0 ? exact.setScale(0) : exact;
    }

    private static void put(ObjectNode line, KeyValuePair pair) {
        if (pair.value instanceof Integer || pair.value instanceof Long) {
            line.put(pair.key, ((Number) pair.value).longValue());
        } else if (pair.value instanceof Boolean flag) {
            line.put(pair.key, flag);
        } else {
            line.put(pair.key, LogValues.text(pair.value));
        }
    }
}
