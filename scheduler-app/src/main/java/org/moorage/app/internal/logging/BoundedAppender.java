// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.moorage.kubernetes.ThreadFailures;

/**
 * Passes log events to another appender on a separate thread, so that a thread that logs never waits for the reader of
 * the log. Events for which there is no room are dropped and counted; how many they were is logged when there is room
 * again.
 */
final class BoundedAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private static final Duration POLL = Duration.ofMillis(10);

    private final BlockingQueue<ILoggingEvent> waiting;
    private final Appender<ILoggingEvent> target;
    private final ThreadFactory threads;
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean writing;

    /**
     * An appender in front of another.
     *
     * @param capacity how many events may wait
     * @param target what they are passed to
     * @param threads makes the thread that does it
     */
    BoundedAppender(int capacity, Appender<ILoggingEvent> target, ThreadFactory threads) {
        this.threads = threads;
        waiting = new ArrayBlockingQueue<>(capacity);
        this.target = target;
    }

    @Override
    public void start() {
        super.start();
        Thread thread = threads.newThread(this::write);
        thread.setName("log");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        if (!waiting.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    private void write() {
        try {
            while (isStarted()) {
                writing = false;
                ILoggingEvent event = waiting.take();
                writing = true;
                write(event);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    // A line that cannot be written is reported by another line, and counts as dropped.
    private void write(ILoggingEvent event) {
        try {
            target.doAppend(event);
        } catch (Throwable thrown) {
            dropped.incrementAndGet();
            ThreadFailures.tell(thrown);
        }
    }

    /** Returns how many events were dropped. */
    long dropped() {
        return dropped.get();
    }

    /** Waits until all events are written, but not for longer than a reader that does not read deserves. */
    void flush(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        try {
            while ((writing || !waiting.isEmpty()) && System.nanoTime() < end) {
                TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
