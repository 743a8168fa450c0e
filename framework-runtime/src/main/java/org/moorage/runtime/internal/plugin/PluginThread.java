// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a scheduler. It counts the calls into plugins, so that another thread can detect one that does not
 * return.
 *
 * <p>It does not read the clock for a call, because there is a call for each node and plugin.
 */
public final class PluginThread extends Thread {
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(PluginThread.class, "count", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    // The low bits are the depth of the running calls of this thread; the others count begins and ends.
    private static final int DEPTH_BITS = 16;
    private static final long DEPTH = (1L << DEPTH_BITS) - 1;
    private static final long BEGIN = (1L << DEPTH_BITS) + 1;
    private static final long END = (1L << DEPTH_BITS) - 1;

    // More than the intended nesting of plugins that call others through their handles.
    private static final int MOST_DEPTH = 64;

    private final @Nullable Object owner;
    // The running calls, the outermost first. Entries beyond the depth are outdated.
    private final @Nullable RunningCall[] calls = new RunningCall[MOST_DEPTH];
    private long count;
    private volatile boolean pausing;

    /**
     * Creates a daemon thread.
     *
     * @param owner the object that it works for, if it does not work for the scheduler as a whole
     */
    public PluginThread(Runnable task, String name, @Nullable Object owner) {
        super(null, task, name, 0, false);
        this.owner = owner;
        setDaemon(true);
    }

    public boolean worksFor(Object candidate) {
        return owner == candidate;
    }

    /** Begins a call into a plugin. Returns the argument for {@link #end}; null on other threads. */
    static @Nullable PluginThread begin(RunningCall call) {
        if (Thread.currentThread() instanceof PluginThread thread) {
            int depth = (int) (thread.count & DEPTH);
            if (depth < MOST_DEPTH) {
                thread.calls[depth] = call;
            }
            COUNT.setRelease(thread, thread.count + BEGIN);
            return thread;
        }
        return null;
    }

    static void end(@Nullable PluginThread thread) {
        if (thread != null) {
            COUNT.setRelease(thread, thread.count + END);
        }
    }

    /** Runs some work on the current thread, whose time does not count as time of the plugin that requests it. */
    public static void whilePausing(Runnable wait) {
        if (!(Thread.currentThread() instanceof PluginThread thread)) {
            wait.run();
            return;
        }
        thread.pausing = true;
        try {
            wait.run();
        } finally {
            thread.pausing = false;
            // The plugin's time starts again.
            COUNT.setOpaque(thread, thread.count + BEGIN + END);
        }
    }

    /**
     * Returns the number of the running call. It changes when a call begins or returns, including calls that another
     * plugin makes through its handle. Returns 0 if no call is running.
     */
    public long runningCall() {
        long seen = (long) COUNT.getAcquire(this);
        return (seen & DEPTH) == 0 || pausing ? 0 : seen;
    }

    public Optional<RunningCall> call() {
        long seen = runningCall();
        if (seen == 0) {
            return Optional.empty();
        }
        int depth = (int) Math.min(MOST_DEPTH, seen & DEPTH);
        RunningCall call = calls[depth - 1];
        // The count must be read after the call. If it has changed, the call has just returned.
        VarHandle.loadLoadFence();
        return runningCall() == seen ? Optional.ofNullable(call) : Optional.empty();
    }
}
