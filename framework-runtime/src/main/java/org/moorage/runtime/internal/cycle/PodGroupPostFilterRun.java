// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/** Runs the PodGroupPostFilter plugins to make room for a group, and adds their answer to the group's results. */
public final class PodGroupPostFilterRun {
    private final Profile profile;
    private final PodGroupAlgorithm algorithm;
    private final PostFilterRun.Execution execution;

    public PodGroupPostFilterRun(PodGroupAlgorithm algorithm, PostFilterRun.Execution execution) {
        this.algorithm = algorithm;
        profile = algorithm.profile();
        this.execution = execution;
    }

    /**
     * The combined answer of the plugins.
     *
     * @param status the status, with the plugin that made room or ruled that out, the last plugin that rejected, or the
     *     one that failed
     * @param victims the pods to preempt
     */
    public record Combined(PluginStatus status, List<Pod> victims) {}

    /**
     * Runs the plugins, and adds their answer to each result.
     *
     * @param state the state of the root's cycle
     * @param results the results of the root and of all groups below it
     */
    public Combined run(GroupTree root, CycleState state, Map<GroupKey, GroupResult> results) {
        try (PointRun run = profile.begin(PluginMethod.POD_GROUP_POST_FILTER)) {
            String last = "";
            List<String> reasons = new ArrayList<>();
            for (PluginCaller plugin : profile.at(ExtensionPoint.POD_GROUP_POST_FILTER)) {
                last = plugin.name();
                PodGroupPostFilterResult answer = ask(run, plugin, root, state);
                if (execution == PostFilterRun.Execution.DONE) {
                    plugin.execute(run, state, root, answer);
                }
                if (answer.status().isSuccess() || answer.status().code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                    return ended(run, last, answer, results);
                }
                reasons.addAll(answer.status().reasons());
            }
            Status rejected = Status.of(Code.UNSCHEDULABLE, reasons.isEmpty() ? List.of("") : reasons);
            return ended(run, last, PodGroupPostFilterResult.rejected(rejected), results);
        } catch (PluginFailure failure) {
            profile.failed(failure);
            GroupStatus error = GroupStatus.error(failure.getMessage());
            results.replaceAll((key, result) -> result.with(error));
            return new Combined(PluginStatus.error(failure.plugin(), failure.getMessage()), List.of());
        }
    }

    private static Combined ended(
            PointRun run, String plugin, PodGroupPostFilterResult answer, Map<GroupKey, GroupResult> results) {
        run.end(answer.status().code());
        GroupResult.answer(results, answer);
        return new Combined(new PluginStatus(plugin, answer.status()), answer.victims());
    }

    private PodGroupPostFilterResult ask(PointRun run, PluginCaller plugin, GroupTree root, CycleState state) {
        TrialSnapshot snapshot = algorithm.snapshot();
        int changes = snapshot.changes();
        PodGroupTrial trial = new GroupTrial(algorithm, root);
        try {
            return plugin.podGroupPostFilter(run, state, root, trial);
        } finally {
            snapshot.revertTo(changes);
        }
    }
}
