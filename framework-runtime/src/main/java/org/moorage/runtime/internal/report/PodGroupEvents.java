// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.ObjectEvent;
import org.moorage.config.plugin.PluginText;
import org.moorage.runtime.decision.GroupEvaluation.Attempt;
import org.moorage.runtime.decision.GroupEvaluation.Best;
import org.moorage.runtime.decision.GroupEvaluation.Stop;

/**
 * Reports an event for a group that is unschedulable: where it came farthest, and which pod stopped it. kube-scheduler
 * has no events of groups; its conditions, and its events of pods, are unchanged.
 */
public final class PodGroupEvents {
    private final ClusterWriter writer;

    public PodGroupEvents(ClusterWriter writer) {
        this.writer = writer;
    }

    /**
     * Reports a failed attempt.
     *
     * @param path the groups from the root to the one that stopped the attempt
     * @param stopped the last of them
     */
    public void failed(List<Attempt> path, PodGroup stopped, String schedulerName) {
        note(path)
                .ifPresent(note -> writer.report(ObjectEvent.warning(
                        stopped, schedulerName, "FailedScheduling", "Scheduling", PluginText.bounded(note))));
    }

    // Returns empty if no pod was tried: the condition is sufficient.
    private static Optional<String> note(List<Attempt> path) {
        Attempt last = path.get(path.size() - 1);
        Optional<Best> best = last.best();
        Optional<Stop> stop = best.flatMap(Best::stop);
        if (stop.isEmpty()) {
            return Optional.empty();
        }
        List<String> places = new ArrayList<>();
        for (Attempt attempt : path) {
            attempt.best()
                    .map(found -> found.placement().name())
                    .filter(name -> !name.isEmpty())
                    .ifPresent(places::add);
        }
        String where = places.isEmpty() ? "" : " in " + String.join("/", places);
        int placed = last.placedBefore() + best.get().placement().placed();
        return Optional.of((last.placements().size() > 1 ? "comes farthest" + where + ": " : "")
                + placed + " of the " + last.needed() + " pods that it needs have a node"
                + (last.placements().size() > 1 ? "" : where) + ", and pod "
                + stop.get().pod().name() + " finds none: " + stop.get().message());
    }
}
