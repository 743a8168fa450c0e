// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.report.Report;
import org.moorage.simulation.whatif.DisruptedPod;

/** An answer about pods of nodes that are drained or lost. */
public interface DisruptionReport extends Report {
    /** Returns the pods that were on these nodes. */
    List<DisruptedPod> pods();

    /** Returns the pods on other nodes that are preempted. */
    List<DisruptedPod> preempted();

    /** Returns all disrupted pods. */
    default List<DisruptedPod> disrupted() {
        List<DisruptedPod> all = new ArrayList<>(pods());
        all.addAll(preempted());
        return all;
    }

    /** Returns the disrupted pods that are not rescheduled, or stay although they should not. */
    @Override
    default List<String> names() {
        return disrupted().stream()
                .filter(pod -> !pod.isSettled())
                .map(pod -> "pod/" + pod.pod().key())
                .toList();
    }
}
