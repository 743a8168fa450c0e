// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.time.InstantSource;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.cluster.StoredObjects;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.loop.SchedulerThreads;

/** An immutable cluster state with a pool of workspaces for questions. Safe for use by several threads. */
public final class FrozenCluster implements AutoCloseable {
    // A larger pool does not help: more threads than processors answer no faster.
    private static final int MOST_IDLE = Runtime.getRuntime().availableProcessors();

    final State state;
    // Waits of PreBind plugins take no time: controllers have already reacted.
    final SchedulerThreads threads = new SchedulerThreads(1, Runnable::run, null, Listeners.NONE);
    private final Deque<WhatIfWorkspace> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /**
     * The settings for answering questions.
     *
     * @param config the profiles, and extenders, which are not called to bind
     * @param registry the plugins
     * @param features the enabled features
     * @param view how plugins see objects
     * @param clock the time of day
     * @param monotonicClock measures durations
     */
    public record Settings(
            SchedulerConfig config,
            PluginRegistry registry,
            FeatureGates features,
            FeatureView view,
            InstantSource clock,
            InstantSource monotonicClock) {}

    /**
     * The state of a cluster.
     *
     * @param objects its objects
     * @param nodes its nodes with their pods; they are not updated any more
     * @param nominatedPods the nominated pods, by node name
     * @param firstNode the index of the node that a cycle begins with
     * @param hasUnboundClaims whether claims that do not wait for a pod still have to be bound, because no controller
     *     has run
     */
    public record State(
            Settings settings,
            StoredObjects objects,
            ClusterSnapshot nodes,
            Map<String, List<Pod>> nominatedPods,
            int firstNode,
            boolean hasUnboundClaims) {}

    public FrozenCluster(State state) {
        this.state = state;
    }

    /** Returns a workspace, for one thread until it is given back. */
    WhatIfWorkspace acquire() {
        if (closed) {
            throw new IllegalStateException("what-if: closed (expected: asked before it is)");
        }
        WhatIfWorkspace known = idle.pollFirst();
        return known == null ? new WhatIfWorkspace(this) : known;
    }

    void release(WhatIfWorkspace workspace) {
        if (closed || idle.size() >= MOST_IDLE) {
            workspace.close();
            return;
        }
        // The workspace that was used last has the most data in the processor's cache.
        idle.addFirst(workspace);
        if (closed) {
            closeIdle();
        }
    }

    @Override
    public void close() {
        closed = true;
        closeIdle();
        threads.close();
    }

    private void closeIdle() {
        for (WhatIfWorkspace next = idle.poll(); next != null; next = idle.poll()) {
            next.close();
        }
    }
}
