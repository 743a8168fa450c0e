// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.config.plugin.Thrown;
import org.moorage.objects.GoDuration;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.internal.plugin.RunningCall;

/**
 * Runs parts of scheduling cycles for callers, one at a time as plugins expect it. Each part runs on a thread of the
 * scheduler, with a time limit. A part in which a plugin does not return keeps its thread, and the next part gets
 * another engine.
 */
public final class TimedCycles {
    private static final String THREAD = "partial-cycle";

    private final Engines engines;
    private final SchedulerThreads threads;
    private final Duration limit;
    private final InstantSource clock;
    private final Semaphore turn = new Semaphore(1, true);
    private volatile @Nullable String stuck;

    /**
     * Creates the timed cycles of a scheduler.
     *
     * @param limit how long each part may take
     * @param clock measures how long it takes
     */
    public TimedCycles(Engines engines, SchedulerThreads threads, Duration limit, InstantSource clock) {
        this.engines = engines;
        this.threads = threads;
        this.limit = limit;
        this.clock = clock;
    }

    /**
     * Runs a part of a cycle, after the parts before it.
     *
     * @param left runs once the part has ended, which may be long after its limit, or never
     * @throws TimeoutException if it does not end within the limit, or does not begin
     */
    public <T> T run(Function<SchedulingAlgorithm, T> part, Runnable left) throws TimeoutException {
        Instant end = clock.instant().plus(limit);
        if (!takesTurn()) {
            left.run();
            String why = stuck;
            throw new TimeoutException(
                    why != null
                            ? why
                            : "did not begin within " + GoDuration.format(limit) + ": other requests go first");
        }
        Engine engine = engines.current();
        CompletableFuture<T> result = new CompletableFuture<>();
        AtomicBoolean hasTurn = new AtomicBoolean(true);
        PluginThread thread = threads.newThread(
                THREAD,
                () -> {
                    try {
                        result.complete(engine.use(null, part));
                    } catch (Throwable thrown) {
                        result.completeExceptionally(thrown);
                        Thrown.rethrowIfFatal(thrown);
                    } finally {
                        left.run();
                        engines.release(engine);
                        endTurn(hasTurn);
                    }
                },
                engine);
        thread.start();
        try {
            return result.get(Duration.between(clock.instant(), end).toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException overdue) {
            String message = overdue(engine);
            if (engines.abandon(engine)) {
                if (result.isDone()) {
                    engines.release(engine);
                }
                endTurn(hasTurn);
            } else {
                stuck = message + ", as in requests before";
            }
            throw new TimeoutException(message);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw new IllegalStateException(Thrown.text(cause == null ? failed : cause), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TimeoutException("interrupted");
        }
    }

    private boolean takesTurn() {
        try {
            return turn.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void endTurn(AtomicBoolean hasTurn) {
        if (hasTurn.getAndSet(false)) {
            stuck = null;
            turn.release();
        }
    }

    // Names the plugin that does not return; a pass over many nodes runs on several threads. PluginCallWatch logs it.
    private String overdue(Engine engine) {
        String text = "did not return within " + GoDuration.format(limit);
        for (PluginThread thread : threads.alive()) {
            Optional<RunningCall> running = thread.worksFor(engine) ? thread.call() : Optional.empty();
            if (running.isPresent()) {
                return running.get().failure(text);
            }
        }
        return text;
    }

    /** Returns why no request can be answered any more; empty if requests are answered. */
    public Optional<String> failure() {
        return Optional.ofNullable(stuck);
    }
}
