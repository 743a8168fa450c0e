// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.objects.tree.InputNotes;
import org.moorage.simulation.internal.workload.MadeObjects;

/** A summary of the objects created from workloads, in a few lines. */
final class WorkloadNotes {
    private final List<String> made = new ArrayList<>();
    private final Map<String, List<String>> titlesByReason = new LinkedHashMap<>();
    private final List<String> deleted = new ArrayList<>();
    private final Map<String, List<String>> titlesByRollout = new LinkedHashMap<>();
    private int pods;
    private int deletedPods;

    /** Adds the objects created from a workload. */
    void add(String title, MadeObjects objects) {
        if (objects.pods() > 0) {
            pods += objects.pods();
            made.add(title + " " + objects.pods());
        }
        if (!objects.deleted().isEmpty()) {
            deletedPods += objects.deleted().size();
            deleted.add(title + " " + objects.deleted().size());
        }
        if (!objects.rollout().isEmpty()) {
            titlesByRollout
                    .computeIfAbsent(objects.rollout(), any -> new ArrayList<>())
                    .add(title);
        }
        if (!objects.whyNone().isEmpty()) {
            add(title, objects.whyNone());
        }
    }

    /** Adds the reason why no objects were created from a workload. */
    void add(String title, String whyNone) {
        titlesByReason.computeIfAbsent(whyNone, any -> new ArrayList<>()).add(title);
    }

    /** Adds the lines. */
    void tell(InputNotes notes) {
        if (pods > 0) {
            notes.note((pods == 1 ? "1 pod is" : pods + " pods are") + " made as controllers would make them: "
                    + InputNotes.names(made));
        }
        if (deletedPods > 0) {
            notes.note((deletedPods == 1 ? "1 pod is" : deletedPods + " pods are")
                    + " deleted as controllers would delete them: " + InputNotes.names(deleted));
        }
        titlesByRollout.forEach((rollout, titles) ->
                notes.note(InputNotes.names(titles) + (titles.size() == 1 ? " is " : " are ") + rollout));
        titlesByReason.forEach(
                (why, titles) -> notes.note("no pods are made of " + InputNotes.names(titles) + " (" + why + ")"));
    }
}
