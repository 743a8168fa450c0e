// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import java.util.function.Consumer;
import org.moorage.api.model.Pod;
import org.moorage.runtime.metrics.SchedulerMetrics;

/** Tells metrics of who has to leave for a pod or a group of pods, and how that ends. */
final class PreemptionMetrics {
    private PreemptionMetrics() {}

    /**
     * The victims are about to be evicted.
     *
     * @param preemptor {@code pod}, {@code podgroup} or {@code compositepodgroup}
     * @param victims may be none, of which nothing is told
     * @return to be told when that has ended, and whether it has succeeded
     */
    static Consumer<Boolean> begin(
            SchedulerMetrics metrics, String preemptor, List<Pod> victims, int groupDisruptions, long pdbViolations) {
        if (!victims.isEmpty()) {
            metrics.preempted(preemptor, victims.size(), groupDisruptions, pdbViolations);
        }
        // As in kube-scheduler: there is nothing to be done about pods that leave already.
        if (victims.stream().allMatch(victim -> victim.metadata().isDeleting())) {
            return isSuccessful -> {};
        }
        long start = System.nanoTime();
        return isSuccessful ->
                metrics.preemptionExecuted(preemptor, isSuccessful ? "success" : "error", System.nanoTime() - start);
    }
}
