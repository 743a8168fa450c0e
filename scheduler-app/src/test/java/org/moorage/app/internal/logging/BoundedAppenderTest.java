// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests an appender in front of a blocked one that the test releases. */
class BoundedAppenderTest {
    private static final int CAPACITY = 10;

    private final LoggerContext loggers = new LoggerContext();
    private final CountDownLatch taken = new CountDownLatch(1);
    private final CountDownLatch read = new CountDownLatch(1);
    private final List<String> written = new ArrayList<>();
    private final List<Throwable> told = new CopyOnWriteArrayList<>();
    private final BoundedAppender appender = new BoundedAppender(
            CAPACITY,
            new AppenderBase<>() {
                {
                    started = true;
                }

                @Override
                protected void append(ILoggingEvent event) {
                    taken.countDown();
                    try {
                        read.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    if (event.getFormattedMessage().startsWith("throw")) {
                        throw new NoClassDefFoundError("org/example/Missing");
                    }
                    written.add(event.getFormattedMessage());
                }
            },
            task -> {
                Thread thread = new Thread(task);
                thread.setUncaughtExceptionHandler((ended, thrown) -> told.add(thrown));
                return thread;
            });

    @BeforeEach
    void start() {
        loggers.setMDCAdapter(new LogbackMDCAdapter());
        appender.setContext(loggers);
        appender.start();
    }

    @AfterEach
    void stop() {
        read.countDown();
        appender.stop();
    }

    private void log(int number) {
        appender.doAppend(new LoggingEvent("", loggers.getLogger("test"), Level.INFO, "line " + number, null, null));
    }

    @Test
    void keepsWhatThereIsRoomForAndCountsTheRest() throws InterruptedException {
        log(0);
        assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
        for (int i = 1; i <= CAPACITY + 5; i++) {
            log(i);
        }
        assertThat(appender.dropped()).isEqualTo(5);

        read.countDown();
        appender.flush(Duration.ofSeconds(20));

        assertThat(written).hasSize(CAPACITY + 1).startsWith("line 0", "line 1").endsWith("line " + CAPACITY);
    }

    @Test
    void continuesAfterALineThatCannotBeWritten() {
        read.countDown();
        for (String message : List.of("throw", "line 1", "throw again", "line 2")) {
            appender.doAppend(new LoggingEvent("", loggers.getLogger("test"), Level.INFO, message, null, null));
        }
        appender.flush(Duration.ofSeconds(5));

        assertThat(written).containsExactly("line 1", "line 2");
        assertThat(told).hasSize(2).allMatch(thrown -> thrown instanceof NoClassDefFoundError);
        assertThat(appender.dropped()).isEqualTo(2);
    }

    @Test
    void doesNotWaitForAReaderThatDoesNotRead() throws InterruptedException {
        log(0);
        assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
        log(1);
        appender.flush(Duration.ofMillis(20));

        assertThat(written).isEmpty();
    }

    @Test
    void setsTheVerbosityOfSomeClasses() {
        ModuleVerbosity filter = new ModuleVerbosity(Map.of("*Queue", 4));

        assertThat(decide(filter, "org.moorage.SchedulingQueue", Level.TRACE)).isEqualTo(FilterReply.ACCEPT);
        assertThat(decide(filter, "org.moorage.Queues", Level.TRACE)).isEqualTo(FilterReply.NEUTRAL);
    }

    private FilterReply decide(ModuleVerbosity filter, String logger, Level level) {
        return filter.decide(null, loggers.getLogger(logger), level, null, null, null);
    }
}
