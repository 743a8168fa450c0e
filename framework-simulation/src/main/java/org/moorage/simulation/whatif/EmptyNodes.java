// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.whatif.Transaction;

/** Empty new nodes of a type, one in each of its zones, as the only ones to choose from. */
final class EmptyNodes implements AutoCloseable {
    private static final String NO_PREEMPTION = "Never";

    private final KnownCluster cluster;
    private final Transaction transaction;
    private final Map<AlikePods, Boolean> known = new HashMap<>();

    EmptyNodes(KnownCluster cluster, ScaleUpTrial trial, NodeTemplate type) {
        this.cluster = cluster;
        transaction = trial.begin();
        List<String> names = new ArrayList<>();
        for (int number = 1; number <= type.kinds(); number++) {
            names.add(type.nodeName(number));
        }
        Transaction ignored = transaction.with(type.newNodes(type.kinds())).among(names);
    }

    /** Returns whether a pod fits on one of them by the filters of its profile. */
    boolean fit(Pod pod) {
        Optional<AlikePods> alike = AlikePods.of(pod);
        if (alike.isEmpty()) {
            return ask(pod);
        }
        return known.computeIfAbsent(alike.get(), any -> ask(pod));
    }

    private boolean ask(Pod pod) {
        try {
            return cluster.schedules(pod.spec().schedulerName())
                    && transaction.fits(pod).fits();
        } catch (RuntimeException failed) {
            // A pod for which a plugin fails is not scheduled.
            return false;
        }
    }

    /** Returns a type without the pods of DaemonSets that preemption may remove from its new nodes. */
    static NodeTemplate withoutPreemptible(NodeTemplate type, List<Pod> pods) {
        int highest = Integer.MIN_VALUE;
        for (Pod pod : pods) {
            highest = mayPreempt(pod) ? Math.max(highest, pod.spec().priority()) : highest;
        }
        List<Pod> staying = new ArrayList<>();
        for (Pod pod : type.daemonPods()) {
            if (pod.spec().priority() >= highest) {
                staying.add(pod);
            }
        }
        return type.withDaemonPods(staying);
    }

    /** Returns whether a pod may preempt others. */
    static boolean mayPreempt(Pod pod) {
        return !pod.spec().preemptionPolicy().equals(NO_PREEMPTION);
    }

    @Override
    public void close() {
        transaction.close();
    }
}
