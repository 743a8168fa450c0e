// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that detects a full heap on whose collection the virtual machine spends almost all time. G1 reports this
 * only when an allocation fails after two full collections, which takes half a minute when each of them frees a little;
 * the parallel collector has its own limit.
 */
public final class HeapWatch {
    private static final Logger LOG = LoggerFactory.getLogger(HeapWatch.class);

    /**
     * A JVM with 32 MB reports slightly less; with 24 MB the start leaves no room for a cluster.
     */
    private static final long LEAST = 30L << 20;

    /**
     * Enough for small clusters. Further memory depends on the size of the cluster, which is not known at the start.
     */
    private static final long SMALL = 96L << 20;

    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final Duration WINDOW = Duration.ofSeconds(4);
    /** More than there are in a window. */
    private static final int SAMPLES = 32;

    /** The watch starts later, so that its classes are loaded after the scheduler has started. */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(5);

    /** G1 cannot use some regions of a small heap: a heap of 48 MB is never fuller than 94 %. */
    private static final double FULL = 0.85;

    /** Between two collections the process may wait for a processor that is busy with others. */
    private static final double COLLECTING = 0.8;

    // Made in time: when memory is exhausted, no object can be.
    private final OutOfMemoryError exhausted =
            new OutOfMemoryError("the heap is full, and almost all time is spent on collecting it");
    private final long[] times = new long[SAMPLES];
    private final long[] collecting = new long[SAMPLES];
    private int oldest;
    private int count;

    /**
     * Returns the reason why a heap is too small to run with.
     *
     * @param max the maximum size of the heap in bytes
     * @return a sentence; empty for a heap that may be sufficient
     */
    public static Optional<String> tooSmall(long max) {
        return max >= LEAST
                ? Optional.empty()
                : Optional.of("the heap is too small: it can have " + (max >> 20)
                        + " MB (expected: 32 MB for the smallest clusters, 512 MB for 5,000 nodes with 100,000 pods; -Xmx or the container's"
                        + " memory limit sets it)");
    }

    /** Creates a watch without samples. */
    HeapWatch() {}

    /**
     * Starts a thread that watches the heap of this process, and that ends with an {@link OutOfMemoryError} once it is
     * exhausted.
     */
    public static void start(ThreadFactory threads) {
        long max = Runtime.getRuntime().maxMemory();
        if (max < SMALL) {
            LOG.atWarn()
                    .addKeyValue("megabytes", max >> 20)
                    .log(
                            "The heap is small: if the cluster's objects do not fit in it, the process ends with exit code 3");
        }
        HeapWatch watch = new HeapWatch();
        Thread thread = threads.newThread(watch::run);
        thread.setName("heap-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        CountDownLatch never = new CountDownLatch(1);
        Runtime runtime = Runtime.getRuntime();
        try {
            if (never.await(FIRST_LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
            List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
            while (!never.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                long millis = 0;
                for (int i = 0; i < collectors.size(); i++) {
                    millis += collectors.get(i).getCollectionTime();
                }
                long used = runtime.totalMemory() - runtime.freeMemory();
                if (isExhausted(System.nanoTime(), millis, used, runtime.maxMemory())) {
                    throw exhausted;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Takes a sample.
     *
     * @param nanos the time of a monotonic clock
     * @param collectionMillis how long collections took since the process began
     * @param used bytes of the heap that are used
     * @param max bytes that it can have
     * @return whether the samples of the last four seconds say that the heap is exhausted
     */
    boolean isExhausted(long nanos, long collectionMillis, long used, long max) {
        if (used < FULL * max) {
            count = 0;
            return false;
        }
        if (count == SAMPLES) {
            drop();
        }
        int slot = (oldest + count) % SAMPLES;
        times[slot] = nanos;
        collecting[slot] = collectionMillis;
        count++;
        while (count > 1 && nanos - times[(oldest + 1) % SAMPLES] >= WINDOW.toNanos()) {
            drop();
        }
        long elapsed = nanos - times[oldest];
        return elapsed >= WINDOW.toNanos()
                && TimeUnit.MILLISECONDS.toNanos(collectionMillis - collecting[oldest]) >= COLLECTING * elapsed;
    }

    private void drop() {
        oldest = (oldest + 1) % SAMPLES;
        count--;
    }
}
