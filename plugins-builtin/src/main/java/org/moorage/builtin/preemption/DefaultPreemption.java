// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.moorage.api.CycleState;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.preemption.Preemption;
import org.moorage.api.preemption.PreemptionRules;

/**
 * Evicts pods of lower priority: from a node, so that a pod that fits on no node fits there, or from the whole cluster,
 * so that a group of pods fits. Same decisions as kube-scheduler's DefaultPreemption, except that a group's pod whose
 * node is gone does not prevent preemption.
 *
 * <p>For a pod, the dry run starts at a random node and ends when there are enough candidates.
 */
public final class DefaultPreemption
        implements PreEnqueuePlugin, PostFilterPlugin, PodGroupPostFilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "DefaultPreemption";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, DefaultPreemption.class, Args.class, DefaultPreemption::new);

    private static final String PREFIX = "preemption: ";
    private static final Status PREEMPTION_IN_PROGRESS =
            Status.unresolvable("waiting for the preemption for this pod to be finished");
    private static final Status GROUP_PREEMPTION_IN_PROGRESS =
            Status.unresolvable("waiting for the preemption for this pod group to be finished");

    /**
     * The plugin's arguments: the number of candidates to find before one is picked. The larger of the two numbers
     * applies.
     *
     * @param minCandidateNodesPercentage in percent of the nodes where preemption could help
     * @param minCandidateNodesAbsolute as a number of nodes
     */
    public record Args(int minCandidateNodesPercentage, int minCandidateNodesAbsolute) implements PluginArgs {
        /** 10 percent of the nodes, at least 100. */
        public static final Args DEFAULTS = new Args(10, 100);

        @Override
        public void validate(Problems problems) {
            Problems percentage = problems.at("minCandidateNodesPercentage");
            Problems absolute = problems.at("minCandidateNodesAbsolute");
            if (minCandidateNodesPercentage < 0 || minCandidateNodesPercentage > 100) {
                percentage.invalid(minCandidateNodesPercentage, "0 to 100");
            }
            if (minCandidateNodesAbsolute < 0) {
                absolute.invalid(minCandidateNodesAbsolute, "at least 0");
            }
            if (minCandidateNodesPercentage == 0 && minCandidateNodesAbsolute == 0) {
                percentage.invalid(0, "more than 0, or minCandidateNodesAbsolute more than 0");
                absolute.invalid(0, "more than 0, or minCandidateNodesPercentage more than 0");
            }
        }
    }

    /** Any pod of lower priority may be evicted. */
    private record Rules(Args args) implements PreemptionRules {
        @Override
        public String messagePrefix() {
            return PREFIX;
        }

        @Override
        public int enoughCandidates(int nodes) {
            return Preemption.enoughCandidates(
                    nodes, args.minCandidateNodesPercentage(), args.minCandidateNodesAbsolute());
        }
    }

    private final Handle handle;
    private final Preemption preemption;
    private final boolean isAsync;
    private final boolean hasGroups;

    DefaultPreemption(Args args, Handle handle) {
        this.handle = handle;
        preemption = new Preemption(handle, NAME, new Rules(args));
        isAsync = handle.featureGates().isEnabled(FeatureGates.SCHEDULER_ASYNC_PREEMPTION);
        hasGroups = handle.featureGates().isEnabled(FeatureGates.GENERIC_WORKLOAD);
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Gates a pod while its victims, or those of its group, are being evicted; otherwise it could preempt others. */
    @Override
    public Status preEnqueue(Pod pod) {
        if (!isAsync) {
            return Status.success();
        }
        if (!hasGroups || pod.spec().podGroupName().isEmpty()) {
            return preemption.isEvictingFor(pod, pod.uid()) ? PREEMPTION_IN_PROGRESS : Status.success();
        }
        PodGroupLister groups = handle.cluster().podGroups();
        return groups.root(pod)
                        .flatMap(groups::group)
                        .filter(root ->
                                preemption.isEvictingFor(pod, root.metadata().uid()))
                        .isPresent()
                ? GROUP_PREEMPTION_IN_PROGRESS
                : Status.success();
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        return preemption.makeRoom(state, pod, statuses);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        return isAsync ? preemption.startEvicting(pod, result) : preemption.evict(pod, result);
    }

    @Override
    public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
        return preemption.makeRoom(group, trial);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        return isAsync ? preemption.startEvicting(group, result) : preemption.evict(group, result);
    }

    /**
     * Other plugins requeue the pod when a victim is gone; this registration only causes its gate to be checked again.
     */
    @Override
    public List<EventRegistration> eventsToRegister() {
        return isAsync
                ? List.of(EventRegistration.of(
                        ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE),
                        Pod.class,
                        (pod, change) -> Hint.SKIP))
                : List.of();
    }
}
