// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a scheduler. It counts the calls into plugins, so that another thread can notice one that does not return.
 *
 * <p>The clock is not read for a call, since there is one for each node and plugin.
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

    // The low bits are the depth of the calls that the thread is in, the others count begins and ends.
    private static final int DEPTH_BITS = 16;
    private static final long DEPTH = (1L << DEPTH_BITS) - 1;
    private static final long BEGIN = (1L << DEPTH_BITS) + 1;
    private static final long END = (1L << DEPTH_BITS) - 1;

    // More than plugins that call others through their handles nest on purpose.
    private static final int MOST_DEPTH = 64;

    private final @Nullable Object owner;
    // The calls that the thread is in, the outermost first. Only what the depth counts is of now.
    private final @Nullable RunningCall[] calls = new RunningCall[MOST_DEPTH];
    private long count;
    private volatile boolean pausing;

    /**
     * A daemon thread.
     *
     * @param owner what it works for, if it does not work for the scheduler as a whole
     */
    public PluginThread(Runnable task, String name, @Nullable Object owner) {
        super(null, task, name, 0, false);
        this.owner = owner;
        setDaemon(true);
    }

    /** Whether it works for that one alone. */
    public boolean worksFor(Object candidate) {
        return owner == candidate;
    }

    /** A call into a plugin begins. Returns what {@link #end} is given; null on other threads. */
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

    /** Has the time that some work takes on the current thread not count as time of the plugin that asks for it. */
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
            // The plugin's time begins anew.
            COUNT.setOpaque(thread, thread.count + BEGIN + END);
        }
    }

    /**
     * The number of the call that the thread is in: it changes when a call begins or returns, also one that another plugin
     * makes through its handle. 0 if the thread is in none.
     */
    public long runningCall() {
        long seen = (long) COUNT.getAcquire(this);
        return (seen & DEPTH) == 0 || pausing ? 0 : seen;
    }

    /** Which call of which plugin it is that the thread is in; empty if it is in none. */
    public Optional<RunningCall> call() {
        long seen = runningCall();
        if (seen == 0) {
            return Optional.empty();
        }
        int depth = (int) Math.min(MOST_DEPTH, seen & DEPTH);
        RunningCall call = calls[depth - 1];
        // The count is to be read after the call. If it has changed, the call has just returned.
        VarHandle.loadLoadFence();
        return runningCall() == seen ? Optional.ofNullable(call) : Optional.empty();
    }
}
