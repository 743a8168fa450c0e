// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayDeque;
import java.util.Deque;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.api.plugin.Trial;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCalls;

/** A trial for one pod: a snapshot, and the state that PreFilter has made of it. */
public final class SnapshotTrial implements Trial {
    private final Pod pod;
    private final TrialSnapshot snapshot;
    private final PreFilterExtensions[] extensions;
    private final Deque<CycleState> before = new ArrayDeque<>();
    private CycleState state;

    /**
     * Nothing is tried yet.
     *
     * @param state the state of a cycle after PreFilter, or a fork of it
     * @param pod the pod to schedule
     * @param snapshot nobody else changes it
     */
    SnapshotTrial(CycleState state, Pod pod, TrialSnapshot snapshot) {
        this.state = state.fork();
        this.pod = pod;
        this.snapshot = snapshot;
        extensions = FilterRun.of(state).extensions();
    }

    /** A trial on the snapshot of the cycle that the state is of. */
    public static SnapshotTrial of(CycleState state, Pod pod) {
        return new SnapshotTrial(state, pod, FilterRun.of(state).snapshot().branch());
    }

    @Override
    public Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public CycleState state() {
        return state;
    }

    /** The node of that name with the changes. */
    NodeInfo node(String name) {
        return snapshot.node(name).orElseThrow();
    }

    @Override
    public void assume(Pod added, String nodeName) {
        snapshot.assume(added, nodeName);
        change();
        for (PreFilterExtensions plugin : extensions) {
            PluginCalls.addPod(plugin, state, pod, added, node(nodeName));
        }
    }

    @Override
    public void remove(Pod removed, String nodeName) {
        snapshot.remove(removed, nodeName);
        change();
        for (PreFilterExtensions plugin : extensions) {
            PluginCalls.removePod(plugin, state, pod, removed, node(nodeName));
        }
    }

    private void change() {
        before.push(state);
        state = state.fork();
    }

    @Override
    public int changes() {
        return before.size();
    }

    @Override
    public void takeBack(int changesLeft) {
        while (before.size() > changesLeft) {
            state = before.pop();
        }
        snapshot.takeBack(changesLeft);
    }
}
