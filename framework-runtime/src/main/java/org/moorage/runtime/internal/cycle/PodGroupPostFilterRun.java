// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.PodGroupPostFilterResult;
import org.moorage.api.plugin.PodGroupTrial;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/** Has the PodGroupPostFilter plugins make room for a group, and tells its results of what they answer. */
public final class PodGroupPostFilterRun {
    private final Profile profile;
    private final PodGroupAlgorithm algorithm;
    private final TrialSnapshot snapshot;
    private final GroupReservations reservations;
    private final PostFilterRun.Execution execution;
    private String lastAsked = "";

    public PodGroupPostFilterRun(
            Profile profile,
            PodGroupAlgorithm algorithm,
            TrialSnapshot snapshot,
            GroupReservations reservations,
            PostFilterRun.Execution execution) {
        this.profile = profile;
        this.algorithm = algorithm;
        this.snapshot = snapshot;
        this.reservations = reservations;
        this.execution = execution;
    }

    /**
     * What the plugins answer together.
     *
     * @param status what is said, and by whom: the plugin that made room or ruled that out, the last one of those that rejected, or the one
     *     that failed
     * @param victims the pods that have to leave
     */
    public record Answer(PluginStatus status, List<Pod> victims) {}

    /**
     * Runs the plugins. What they answer becomes part of each result.
     *
     * @param state the state of the root's cycle
     * @param results the results of the root and of all groups below it
     */
    public Answer run(GroupTree root, CycleState state, Map<GroupKey, GroupResult> results) {
        lastAsked = "";
        try {
            PodGroupPostFilterResult answer = PluginTimes.of(profile, "PodGroupPostFilter")
                    .time(times -> ask(root, state), result -> result.status().code());
            apply(answer, results.values());
            return new Answer(new PluginStatus(lastAsked, answer.status()), answer.victims());
        } catch (PluginFailure failure) {
            profile.metrics().pluginFailed(failure.plugin(), failure.method().toString());
            GroupStatus error = GroupStatus.error(failure.getMessage());
            results.values().forEach(result -> result.status(error));
            return new Answer(PluginStatus.error(failure.plugin(), failure.getMessage()), List.of());
        }
    }

    private PodGroupPostFilterResult ask(GroupTree root, CycleState state) {
        List<String> reasons = new ArrayList<>();
        for (PluginCaller plugin : profile.at(ExtensionPoint.POD_GROUP_POST_FILTER)) {
            lastAsked = plugin.name();
            PodGroupPostFilterResult answer = ask(plugin, root, state);
            if (execution == PostFilterRun.Execution.DONE) {
                Consumer<Boolean> ended = PreemptionMetrics.begin(
                        profile.metrics(),
                        root.key().type().toString(),
                        answer.victims(),
                        answer.groupDisruptions(),
                        answer.pdbViolations());
                plugin.execute(state, root, answer, ended);
            }
            if (answer.status().isSuccess() || answer.status().code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                return answer;
            }
            reasons.addAll(answer.status().reasons());
        }
        return PodGroupPostFilterResult.rejected(
                new Status(Code.UNSCHEDULABLE, reasons.isEmpty() ? List.of("") : reasons));
    }

    private PodGroupPostFilterResult ask(PluginCaller plugin, GroupTree root, CycleState state) {
        int changes = snapshot.changes();
        PodGroupTrial trial = new GroupTrial(algorithm, profile, snapshot, root, reservations);
        long start = System.nanoTime();
        Code code = Code.ERROR;
        try {
            PodGroupPostFilterResult answer = plugin.podGroupPostFilter(state, root, trial);
            code = answer.status().code();
            return answer;
        } finally {
            profile.metrics().podGroupPostFilterRan(plugin.name(), code, System.nanoTime() - start);
            snapshot.takeBack(changes);
        }
    }

    private static void apply(PodGroupPostFilterResult answer, Collection<GroupResult> results) {
        for (GroupResult result : results) {
            if (answer.status().isSuccess()) {
                result.waitOnPreemption();
                for (int i = 0; i < result.members().size(); i++) {
                    Nomination nomination = answer.nominations()
                            .get(result.members().get(i).pod().uid());
                    if (nomination != null) {
                        result.nominate(i, nomination);
                    }
                }
            }
        }
        for (GroupResult result : results) {
            result.status().append(answer.status().message());
        }
    }
}
