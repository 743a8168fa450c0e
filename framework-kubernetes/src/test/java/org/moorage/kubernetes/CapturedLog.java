// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** The log lines of a class. */
final class CapturedLog extends AppenderBase<ILoggingEvent> {
    private final BlockingQueue<ILoggingEvent> events = new LinkedBlockingQueue<>();

    static CapturedLog of(Class<?> type) {
        Logger logger = (Logger) LoggerFactory.getLogger(type);
        logger.setLevel(Level.DEBUG);
        CapturedLog log = new CapturedLog();
        log.start();
        logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    Level next() throws InterruptedException {
        ILoggingEvent event = events.poll(20, TimeUnit.SECONDS);
        return event == null ? Level.OFF : event.getLevel();
    }

    /** Returns the log lines, with their levels. */
    List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getMessage() + " " + event.getKeyValuePairs())
                .toList();
    }

    List<String> warnings() {
        return events.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(event -> event.getMessage() + " " + event.getKeyValuePairs())
                .toList();
    }
}
