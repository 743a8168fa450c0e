// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.internal.binding.PermitWaits;
import org.moorage.runtime.internal.cache.TrialSnapshot;

/**
 * The pods that a transaction has placed and that wait for permits of plugins. Time does not pass, so that they wait
 * until plugins allow them or the transaction takes them off their nodes. All changes are undone with those of the
 * snapshot; what plugins do meanwhile has no effect.
 */
final class TrialWaitingPods implements PermitWaits {
    private final TrialSnapshot snapshot;
    private final Map<String, TrialWaitingPod> byUid = new LinkedHashMap<>();
    private final List<TrialPlacement> allowed = new ArrayList<>();
    private boolean isReverting;

    TrialWaitingPods(TrialSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public Collection<WaitingPod> all() {
        return List.copyOf(byUid.values());
    }

    @Override
    public Optional<WaitingPod> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    void add(Pod pod, TrialPlacement placement, Map<String, Duration> timeoutByPlugin) {
        put(pod.uid(), new TrialWaitingPod(pod, placement, timeoutByPlugin, false));
    }

    /** Removes a pod that leaves its node. */
    void remove(String uid) {
        put(uid, null);
    }

    private void put(String uid, @Nullable TrialWaitingPod waiting) {
        TrialWaitingPod before = waiting == null ? byUid.remove(uid) : byUid.put(uid, waiting);
        if (before != waiting) {
            snapshot.onRevert(() -> {
                if (before == null) {
                    byUid.remove(uid);
                } else {
                    byUid.put(uid, before);
                }
            });
        }
    }

    /** Removes and returns the placements of the pods that plugins have allowed since the last call. */
    List<TrialPlacement> takeAllowed() {
        List<TrialPlacement> taken = List.copyOf(allowed);
        allowed.clear();
        return taken;
    }

    /** Runs calls of plugins that undo or repeat earlier ones, so that they affect no waiting pod. */
    void reverting(Runnable calls) {
        boolean before = isReverting;
        isReverting = true;
        try {
            calls.run();
        } finally {
            isReverting = before;
        }
    }

    private final class TrialWaitingPod implements WaitingPod {
        private final Pod pod;
        private final TrialPlacement placement;
        private final Map<String, Duration> timeoutByPlugin;
        private final boolean isRejected;

        TrialWaitingPod(Pod pod, TrialPlacement placement, Map<String, Duration> timeoutByPlugin, boolean isRejected) {
            this.pod = pod;
            this.placement = placement;
            this.timeoutByPlugin = new TreeMap<>(timeoutByPlugin);
            this.isRejected = isRejected;
        }

        @Override
        public Pod pod() {
            return pod;
        }

        @Override
        public Set<String> pendingPlugins() {
            return new LinkedHashSet<>(timeoutByPlugin.keySet());
        }

        @Override
        public Map<String, Duration> timeLeft() {
            return Map.copyOf(timeoutByPlugin);
        }

        private boolean isOver() {
            return isReverting || isRejected || byUid.get(pod.uid()) != this;
        }

        @Override
        public void allow(String plugin) {
            if (isOver() || !timeoutByPlugin.containsKey(plugin)) {
                return;
            }
            Map<String, Duration> left = new TreeMap<>(timeoutByPlugin);
            left.remove(plugin);
            if (left.isEmpty()) {
                put(pod.uid(), null);
                allowed.add(placement);
            } else {
                put(pod.uid(), new TrialWaitingPod(pod, placement, left, false));
            }
        }

        @Override
        public void reject(String plugin, String message) {
            boolean ignored = preempt(plugin, message);
        }

        // It keeps its node until the transaction takes it off, and no plugin can allow it any more.
        @Override
        public boolean preempt(String plugin, String message) {
            if (isOver()) {
                return false;
            }
            put(pod.uid(), new TrialWaitingPod(pod, placement, timeoutByPlugin, true));
            return true;
        }
    }
}
