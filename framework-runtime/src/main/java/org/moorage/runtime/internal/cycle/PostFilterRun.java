// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * The combined answer of the PostFilter plugins.
 *
 * @param plugin the plugin that made room, or the first that rejected
 * @param result its answer, with the reasons of all that rejected
 */
public record PostFilterRun(String plugin, PostFilterResult result) {
    /** Whether plugins execute their decisions. */
    public enum Execution {
        /** They do. */
        DONE,
        /** They do not: this is a simulation. */
        LEFT_OUT
    }

    /**
     * Runs PostFilter until a plugin makes room, or rules that out.
     *
     * @return the answer; empty if the profile has no such plugin, or there are no nodes
     * @throws PluginFailure if a plugin fails
     */
    public static Optional<PostFilterRun> of(
            Profile profile, CycleState state, Pod pod, Diagnosis diagnosis, Execution execution) {
        if (diagnosis.hasNoNodes()) {
            return Optional.empty();
        }
        try (PointRun run = profile.begin(PluginMethod.POST_FILTER)) {
            Optional<PostFilterRun> answer = run(run, profile, state, pod, diagnosis, execution);
            run.end(answer.map(given -> given.result().status().code()).orElse(Code.UNSCHEDULABLE));
            return answer;
        }
    }

    private static Optional<PostFilterRun> run(
            PointRun run, Profile profile, CycleState state, Pod pod, Diagnosis diagnosis, Execution execution) {
        List<String> reasons = new ArrayList<>();
        Nomination nomination = Nomination.keep();
        String first = "";
        for (PluginCaller plugin : profile.at(ExtensionPoint.POST_FILTER)) {
            long start = run.startCall();
            PostFilterResult result = plugin.postFilter(run, state, pod, diagnosis);
            if (execution == Execution.DONE) {
                plugin.execute(run, state, pod, result);
            }
            Status status = result.status();
            run.called(PluginMethod.POST_FILTER, plugin.name(), status.code(), start);
            if (status.isSuccess() || status.code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                return Optional.of(new PostFilterRun(plugin.name(), result));
            }
            if (result.nomination().overrides()) {
                nomination = result.nomination();
            }
            first = first.isEmpty() ? plugin.name() : first;
            reasons.addAll(status.reasons());
        }
        return first.isEmpty()
                ? Optional.empty()
                : Optional.of(new PostFilterRun(
                        first,
                        PostFilterResult.rejected(Status.unschedulable(reasons.toArray(String[]::new)), nomination)));
    }
}
