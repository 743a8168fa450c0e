// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * A pod that a transaction places on a node, with all steps of a scheduler until it is bound: the pod is assumed on the
 * node, Reserve and Permit run, and then, once the pod has all permits, PreBind of plugins that work only on objects of
 * the cluster. Controllers react to their changes immediately, so volumes and claims are as after a real binding.
 *
 * <p>All of it is undone with the changes of the snapshot.
 */
final class TrialPlacement {
    private final WhatIfWorkspace workspace;
    private final TrialSnapshot snapshot;
    private final Reservation reservation;
    // The plugins whose PreBind has run: their reservations are in the objects now, and end with these.
    private final Set<String> finished = new HashSet<>();
    private boolean isReserved;

    TrialPlacement(WhatIfWorkspace workspace, Reservation reservation) {
        this.workspace = workspace;
        this.reservation = reservation;
        snapshot = workspace.snapshot;
    }

    /**
     * Places the pod. If a plugin rejects it or fails, the pod is not on the node afterwards; changes that PreBind has
     * made before stay, as in a cluster.
     *
     * @return success, or the first rejection or failure
     * @throws PluginFailure if a Reserve plugin fails
     */
    PluginStatus place() {
        isReserved = true;
        PluginStatus reserved = reservation.reserveOn(snapshot, () -> workspace.waiting.reverting(this::unreserve));
        if (!reserved.isSuccess()) {
            return reserved;
        }
        Map<String, Duration> timeouts = new TreeMap<>();
        PluginStatus permitted = permit(timeouts);
        if (!permitted.isSuccess()) {
            return fail(permitted);
        }
        for (TrialPlacement other : workspace.waiting.takeAllowed()) {
            PluginStatus ignored = other.finish();
        }
        if (timeouts.isEmpty()) {
            return finish();
        }
        workspace.waiting.add(reservation.pod(), this, timeouts);
        return PluginStatus.SUCCESS;
    }

    // The members of a PodGroup of Kubernetes are placed together, so that no permit is needed.
    private PluginStatus permit(Map<String, Duration> timeouts) {
        Pod pod = reservation.pod();
        if (!pod.spec().podGroupName().isEmpty()
                && workspace.settings.features().isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            return PluginStatus.SUCCESS;
        }
        try {
            return reservation.permit(timeouts);
        } catch (PluginFailure failure) {
            return PluginStatus.error(failure.plugin(), failure.getMessage());
        }
    }

    private void unreserve() {
        if (isReserved) {
            isReserved = false;
            reservation.unreserve(this::isOpen);
        }
    }

    private boolean isOpen(PluginCaller plugin) {
        return !finished.contains(plugin.name());
    }

    private PluginStatus finish() {
        List<PluginCaller> plugins = new ArrayList<>(0);
        for (PluginCaller plugin : reservation.profile().at(ExtensionPoint.PRE_BIND)) {
            if (plugin.preBindsInCluster()) {
                plugins.add(plugin);
            }
        }
        if (plugins.isEmpty()) {
            return PluginStatus.SUCCESS;
        }
        try {
            plugins.removeIf(plugin -> hasNothingToDo(plugin));
        } catch (PluginFailure failure) {
            return fail(PluginStatus.error(failure.plugin(), failure.getMessage()));
        }
        return plugins.isEmpty() ? PluginStatus.SUCCESS : preBind(plugins);
    }

    private boolean hasNothingToDo(PluginCaller plugin) {
        return workspace.settings.features().isEnabled(FeatureGates.NOMINATED_NODE_NAME_FOR_EXPECTATION)
                && plugin.preBindPreFlight(reservation.state(), reservation.pod(), reservation.nodeName())
                        .isSkip();
    }

    private PluginStatus preBind(List<PluginCaller> plugins) {
        Pod pod = reservation.pod();
        TrialObjects objects = workspace.objects;
        if (objects.find(ObjectKind.POD, pod.key())
                .filter(known -> known.uid().equals(pod.uid()))
                .isEmpty()) {
            objects.put(pod.withoutNode());
        }
        PluginStatus answer = workspace.placing(pod, () -> {
            for (PluginCaller plugin : plugins) {
                PluginStatus status = preBind(plugin);
                if (!status.isSuccess()) {
                    return status;
                }
            }
            return PluginStatus.SUCCESS;
        });
        if (!answer.isSuccess()) {
            return fail(answer);
        }
        plugins.forEach(plugin -> finished.add(plugin.name()));
        objects.update(objects.current(ObjectKind.POD, pod).withNode(reservation.nodeName()));
        return PluginStatus.SUCCESS;
    }

    private PluginStatus preBind(PluginCaller plugin) {
        try {
            return new PluginStatus(
                    plugin.name(), plugin.preBind(reservation.state(), reservation.pod(), reservation.nodeName()));
        } catch (PluginFailure failure) {
            return PluginStatus.error(failure.plugin(), failure.getMessage());
        }
    }

    // Does the same as a scheduler after a failed binding: changes of objects stay.
    private PluginStatus fail(PluginStatus answer) {
        snapshot.remove(List.of(reservation.pod()), reservation.nodeName());
        workspace.placing(reservation.pod(), () -> {
            unreserve();
            return answer;
        });
        return answer;
    }

    /** Releases the reservations of the pod, which has left its node. */
    void release() {
        if (!isReserved) {
            return;
        }
        unreserve();
        snapshot.onRevert(() -> workspace.waiting.reverting(() -> {
            isReserved = true;
            // They succeeded before, and everything is as it was then.
            PluginStatus ignored = reservation.reserve(this::isOpen);
            ignored = permit(new TreeMap<>());
        }));
        workspace.waiting.remove(reservation.pod().uid());
    }
}
