// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests that a pass over nodes completes its work or throws, regardless of the other threads. */
@Timeout(30)
final class ParallelismTest {
    private static final int NODES = 1000;
    private static final int CHUNK = 10;

    private final ExecutorService threads = Executors.newFixedThreadPool(3);
    private final AtomicIntegerArray visits = new AtomicIntegerArray(NODES);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private boolean visit(int from, int to) {
        for (int i = from; i < to; i++) {
            visits.incrementAndGet(i);
        }
        return true;
    }

    record Helpers(String name, Executor executor) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Helpers[] HELPERS = {
        new Helpers("other threads help", task -> new Thread(task).start()),
        new Helpers("no thread helps", task -> {}),
        new Helpers("the other threads are closed", task -> {
            throw new RejectedExecutionException("closed");
        }),
        new Helpers("the caller itself helps", Runnable::run),
    };

    @ParameterizedTest
    @FieldSource("HELPERS")
    void visitsEveryNodeOnce(Helpers helpers) {
        new Parallelism(helpers.executor, 4).share(0, NODES, CHUNK, this::visit);

        for (int i = 0; i < NODES; i++) {
            assertThat(visits.get(i)).as("visits of node %d", i).isEqualTo(1);
        }
    }

    record Failure(String name, Throwable thrown, boolean onHelper) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Failure[] FAILURES = {
        new Failure("an exception of the caller's", new IllegalStateException("boom"), false),
        new Failure("an exception of a helper's", new IllegalStateException("boom"), true),
        new Failure("exhausted memory of the caller's", new OutOfMemoryError("test"), false),
        new Failure("exhausted memory of a helper's", new OutOfMemoryError("test"), true),
        new Failure("an overflown stack of a helper's", new StackOverflowError(), true),
    };

    @ParameterizedTest
    @FieldSource("FAILURES")
    void throwsWhatAChunkThrows(Failure failure) {
        Thread caller = Thread.currentThread();
        CountDownLatch thrown = new CountDownLatch(1);

        assertThatThrownBy(() -> new Parallelism(threads, 4).share(0, NODES, CHUNK, (from, to) -> {
                    if (failure.onHelper == (Thread.currentThread() != caller)) {
                        thrown.countDown();
                        throw sneaky(failure.thrown);
                    }
                    await(thrown);
                    return visit(from, to);
                }))
                .isSameAs(failure.thrown);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void waitsForAHelperThatHasBegunAlsoIfNoFurtherThreadCanBeMade() {
        Thread caller = Thread.currentThread();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean finished = new AtomicBoolean();
        Executor onlyOne = task -> {
            if (begun.getCount() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            threads.execute(task);
            await(begun);
        };

        assertThatThrownBy(() -> new Parallelism(onlyOne, 3).share(0, NODES, CHUNK, (from, to) -> {
                    begun.countDown();
                    while (caller.getState() != Thread.State.WAITING) {
                        Thread.onSpinWait();
                    }
                    finished.set(true);
                    return false;
                }))
                .isInstanceOf(OutOfMemoryError.class);

        assertThat(finished).isTrue();
    }

    @Test
    void keepsAnInterruptForTheNextWait() {
        Thread.currentThread().interrupt();

        new Parallelism(threads, 4).share(0, NODES, CHUNK, this::visit);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(visits.get(NODES - 1)).isEqualTo(1);
    }

    /**
     * A pass so far, and whether others help.
     *
     * @param micros how long it has taken
     */
    record Progress(int workers, long micros, int done, int left, boolean helps) {}

    static final Progress[] PROGRESS = {
        // One of two saves half of what is left, 15 of 16 nearly all of it.
        new Progress(2, 100, 500, 900, false),
        new Progress(2, 100, 500, 1_000, true),
        new Progress(16, 100, 500, 500, false),
        new Progress(16, 100, 500, 550, true),
        // The first nodes are slow in each pass, unless they are as slow as this.
        new Progress(16, 19, 16, 5_000, false),
        new Progress(16, 20, 16, 5_000, true),
        new Progress(16, 1_000_000, 16, 1, true),
    };

    @ParameterizedTest
    @FieldSource("PROGRESS")
    void hasOthersHelpWhereThatSavesMoreThanItTakes(Progress progress) {
        Parallelism parallelism = new Parallelism(task -> {}, progress.workers);
        long nanos = TimeUnit.MICROSECONDS.toNanos(progress.micros);
        assertThat(parallelism.helps(nanos, progress.done, progress.left)).isEqualTo(progress.helps);
    }

    /**
     * A pass that takes time for each node and ends after some of them. No thread helps, so its chunks are in order.
     */
    private final class TimedPass implements Parallelism.Pass {
        private final List<String> chunks = new ArrayList<>();
        private final AtomicLong nanoTime = new AtomicLong(-5);
        private final AtomicBoolean asksForHelp = new AtomicBoolean();
        private final long microsPerNode;
        private final int most;
        private final int enough;

        TimedPass(long microsPerNode, int most, int enough) {
            this.microsPerNode = microsPerNode;
            this.most = most;
            this.enough = enough;
        }

        int run(int workers) {
            return new Parallelism(task -> asksForHelp.set(true), workers, nanoTime::get).run(NODES, this);
        }

        @Override
        public boolean run(int from, int to) {
            chunks.add(from + "-" + to);
            nanoTime.addAndGet(TimeUnit.MICROSECONDS.toNanos(microsPerNode * (to - from)));
            return visit(from, to) && to < enough;
        }

        @Override
        public int most() {
            return most;
        }
    }

    @Test
    void beginsAloneWithAFewNodes() {
        TimedPass pass = new TimedPass(0, 50, 100);

        assertThat(pass.run(2)).isEqualTo(116);
        assertThat(pass.chunks).containsExactly("0-16", "16-66", "66-116");
        assertThat(pass.asksForHelp).isFalse();
    }

    @Test
    void sharesTheRestOfASlowPass() {
        TimedPass pass = new TimedPass(10, 50, NODES);

        assertThat(pass.run(2)).isEqualTo(NODES);
        // An eighth of the rest, so that two threads with four chunks each end at about the same time.
        assertThat(pass.chunks).startsWith("0-16", "16-140", "140-264");
        assertThat(pass.asksForHelp).isTrue();
    }

    @Test
    void handsOutFewNodesWhereEachTakesLong() {
        TimedPass pass = new TimedPass(30_000, NODES, 24);

        assertThat(pass.run(2)).isEqualTo(24);
        assertThat(pass.chunks).containsExactly("0-16", "16-20", "20-24");
    }

    @Test
    void sharesNothingWithOneWorker() {
        TimedPass pass = new TimedPass(10, NODES, NODES);

        assertThat(pass.run(1)).isEqualTo(NODES);
        assertThat(pass.asksForHelp).isFalse();
    }
}
