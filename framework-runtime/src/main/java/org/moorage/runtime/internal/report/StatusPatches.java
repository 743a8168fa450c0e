// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.log.Log;

/**
 * Writes to the status of pods why they were not scheduled. A patch is dropped if its pod is gone, bound or being bound
 * when its turn comes.
 */
public final class StatusPatches {
    private static final Log LOG = Log.of(StatusPatches.class);

    private final ObjectLister<Pod> pods;
    private final SchedulerCache cache;
    private final ClusterWriter writer;
    private final NewestUpdates<Patch> updates;

    private record Patch(Pod pod, PodCondition condition, Nomination nomination) {
        Patch replacedBy(Patch newer) {
            return newer.nomination.overrides() ? newer : new Patch(newer.pod, newer.condition, nomination);
        }
    }

    /**
     * Creates an instance without pending patches.
     *
     * @param pods the pods as last seen
     * @param cache knows the pods that are being bound
     * @param executor sends the patches; those of several pods concurrently
     */
    public StatusPatches(ObjectLister<Pod> pods, SchedulerCache cache, ClusterWriter writer, Executor executor) {
        this.pods = pods;
        this.cache = cache;
        this.writer = writer;
        updates = new NewestUpdates<>(executor, this::send, Patch::replacedBy);
    }

    /** Sends a condition to the status of a pod soon, unless a newer one replaces it before. */
    void add(Pod pod, PodCondition condition, Nomination nomination) {
        updates.add(pod.uid(), new Patch(pod, condition, nomination));
    }

    /** Returns the UIDs of the pods whose status is being written, or will be written. */
    public List<String> uids() {
        return updates.uids();
    }

    private void send(Patch patch) {
        Optional<Pod> waiting = pods.get(patch.pod.namespace(), patch.pod.name())
                .filter(known -> known.uid().equals(patch.pod.uid()) && !known.isBound());
        if (waiting.isEmpty() || cache.isAssumed(patch.pod.uid())) {
            LOG.atDebug()
                    .addKeyValue("pod", patch.pod.key())
                    .log("Pod is gone or has a node by now; its status is not updated");
            return;
        }
        Pod pod = waiting.get();
        boolean same = pod.status().condition(PodCondition.POD_SCHEDULED).equals(Optional.of(patch.condition));
        boolean renominated = patch.nomination.overrides()
                && !patch.nomination.nodeName().equals(pod.status().nominatedNodeName());
        if (same && !renominated) {
            // Writing it again would trigger an update of the pod.
            return;
        }
        try {
            writer.patchStatus(
                    pod,
                    same ? Optional.empty() : Optional.of(patch.condition),
                    renominated ? patch.nomination : Nomination.keep());
        } catch (ClusterException failed) {
            if (!failed.isNotFound()) {
                LOG.atError().addKeyValue("pod", pod.key()).setCause(failed).log("Error updating pod");
            }
        }
    }
}
