// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Trial;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCaller;

/** A trial for one pod: a snapshot, and the state after PreFilter. */
public final class SnapshotTrial implements Trial {
    private final Pod pod;
    private final TrialSnapshot snapshot;
    private final PluginCaller[] extensions;
    private CycleState state;

    /**
     * Creates a trial without changes.
     *
     * @param state the state of a cycle after PreFilter, or a fork of it
     * @param pod the pod to schedule
     * @param snapshot a branch without changes, which only this trial changes
     */
    SnapshotTrial(CycleState state, Pod pod, TrialSnapshot snapshot) {
        this.state = state.fork();
        this.pod = pod;
        this.snapshot = snapshot;
        extensions = PodAttempt.of(state).filters().extensions();
    }

    public static SnapshotTrial of(CycleState state, Pod pod) {
        return new SnapshotTrial(
                state, pod, PodAttempt.of(state).filters().snapshot().branch());
    }

    @Override
    public Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public CycleState state() {
        return state;
    }

    NodeInfo node(String name) {
        return snapshot.node(name).orElseThrow();
    }

    @Override
    public void assume(Pod added, String nodeName) {
        CycleState before = state;
        snapshot.assume(added, nodeName, () -> state = before);
        state = before.fork();
        for (PluginCaller plugin : extensions) {
            plugin.addPod(state, pod, added, node(nodeName));
        }
    }

    @Override
    public void remove(Pod removed, String nodeName) {
        CycleState before = state;
        snapshot.remove(List.of(removed), nodeName, () -> state = before);
        state = before.fork();
        for (PluginCaller plugin : extensions) {
            plugin.removePod(state, pod, removed, node(nodeName));
        }
    }

    @Override
    public int changes() {
        return snapshot.changes();
    }

    @Override
    public void revertTo(int changesLeft) {
        snapshot.revertTo(changesLeft);
    }
}
