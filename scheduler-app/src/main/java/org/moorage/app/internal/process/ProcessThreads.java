// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A factory of the threads of the process that are not the scheduler's. An uncaught exception of such a thread is
 * logged and passed to a listener, which counts it; so is an exception that a thread passes to its own handler and
 * survives. A thread that ended with an exception fails a health check from then on, because it is not restarted.
 */
public final class ProcessThreads implements ThreadFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessThreads.class);

    private final SchedulerListener listener;
    private volatile @Nullable String ended;

    /** Creates a factory whose threads report failures to a listener. */
    public ProcessThreads(SchedulerListener listener) {
        this.listener = listener;
    }

    @Override
    public Thread newThread(Runnable work) {
        return thread("process", () -> {
            try {
                work.run();
            } catch (Throwable thrown) {
                // Nothing that needs memory: it may be exhausted.
                ended = Thread.currentThread().getName();
                throw thrown;
            }
        });
    }

    /** Returns a thread that another one replaces when it ends, or that ends after one task. */
    public Thread replaceable(String name, Runnable work) {
        return thread(name, work);
    }

    private Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(this::failed);
        return thread;
    }

    private void failed(Thread thread, Throwable thrown) {
        if (Thrown.isFatal(thrown)) {
            Thread.getDefaultUncaughtExceptionHandler().uncaughtException(thread, thrown);
            return;
        }
        Throwable copy = Thrown.copyOf(thrown);
        LOG.atError().addKeyValue("thread", thread.getName()).setCause(copy).log("Thread of the process failed");
        listener.threadFailed(thread.getName(), copy);
    }

    /** Returns which thread ended unexpectedly; empty if none did. */
    public Optional<String> failure() {
        String name = ended;
        return name == null ? Optional.empty() : Optional.of("thread " + name + " has ended");
    }
}
