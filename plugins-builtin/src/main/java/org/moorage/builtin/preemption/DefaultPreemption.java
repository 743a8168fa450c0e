// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.FitMessage;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PostFilterPlugin;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.Problems;

/**
 * Has pods of lower priority leave a node, as few and as unimportant ones as will do, so that a pod that fits nowhere fits
 * there. Same decisions as kube-scheduler's DefaultPreemption, except that it has no pod groups.
 *
 * <p>Nodes are tried from a random one on, and no longer than until there are enough candidates to choose from.
 */
public final class DefaultPreemption implements PreEnqueuePlugin, PostFilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "DefaultPreemption";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, DefaultPreemption.class, Args.class, DefaultPreemption::new);

    private static final String SAYS = "preemption: ";
    private static final Status UNDER_WAY =
            Status.unresolvable("waiting for the preemption for this pod to be finished");
    private static final Status PEACEFUL = Status.unschedulable(SAYS + "not eligible due to preemptionPolicy=Never.");
    private static final Status WAITING_FOR_VICTIMS =
            Status.unschedulable(SAYS + "not eligible due to a terminating pod on the nominated node.");
    private static final Status NOT_HELPFUL = Status.unresolvable("Preemption is not helpful for scheduling");

    private static final String NEVER = "Never";

    /**
     * The plugin's arguments: among how many nodes to choose, as far as there are that many. The larger number counts.
     *
     * @param minCandidateNodesPercentage in percent of the nodes where preemption could help
     * @param minCandidateNodesAbsolute as a number of nodes
     */
    public record Args(int minCandidateNodesPercentage, int minCandidateNodesAbsolute) implements PluginArgs {
        /** A tenth of the nodes, and 100 at least. */
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

        private int candidates(int nodes) {
            long share = (long) nodes * minCandidateNodesPercentage / 100;
            return (int) Math.min(nodes, Math.max(share, minCandidateNodesAbsolute));
        }
    }

    private final Args args;
    private final Handle handle;
    private final ObjectLister<Pod> pods;
    private final ObjectLister<PodDisruptionBudget> budgets;
    private final Evictions evictions;
    private final boolean isAsync;

    DefaultPreemption(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        pods = handle.lister(ObjectKind.POD);
        budgets = handle.lister(ObjectKind.POD_DISRUPTION_BUDGET);
        evictions = new Evictions(handle);
        isAsync = handle.featureGates().isEnabled(FeatureGates.SCHEDULER_ASYNC_PREEMPTION);
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Keeps a pod out while pods are still being evicted for it: it would ask for others. */
    @Override
    public Status preEnqueue(Pod pod) {
        return isAsync && evictions.isRunningFor(pod.uid()) ? UNDER_WAY : Status.success();
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod asked, NodeStatuses statuses) {
        // The nomination may be newer than what the cycle started with. Who only asks may do so about a pod that is not
        // there.
        Pod pod = pods.get(asked.namespace(), asked.name())
                .filter(known -> known.uid().equals(asked.uid()))
                .orElse(asked);
        if (pod.spec().preemptionPolicy().equals(NEVER)) {
            return PostFilterResult.rejected(PEACEFUL);
        }
        if (isWaitingForVictims(pod, statuses)) {
            return PostFilterResult.rejected(WAITING_FOR_VICTIMS);
        }
        List<NodeInfo> nodes = statuses.nodesWithCode(Code.UNSCHEDULABLE);
        FitMessage whyNot = new FitMessage(handle.snapshot().nodes().size());
        List<Candidate> candidates = nodes.isEmpty() ? List.of() : candidates(state, pod, nodes, whyNot);
        if (candidates.isEmpty()) {
            whyNot.add(NOT_HELPFUL, handle.snapshot().nodes().size() - nodes.size());
            return PostFilterResult.rejected(Status.unschedulable(SAYS + whyNot), Nomination.clear());
        }
        Candidate best = Collections.min(candidates, Candidate.BEST_FIRST);
        return PostFilterResult.nominated(best.nodeName(), best.victims());
    }

    @Override
    public void execute(CycleState state, Pod pod, PostFilterResult result) {
        String nodeName = result.nomination().nodeName();
        if (nodeName.isEmpty()) {
            return;
        }
        Pod preemptor = pods.get(pod.namespace(), pod.name())
                .filter(known -> known.uid().equals(pod.uid()))
                .orElseThrow(() -> new IllegalStateException(SAYS + "pod \"" + pod.name() + "\" not found"));
        if (isAsync) {
            evictions.start(preemptor, nodeName, result.victims());
        } else {
            evictions.run(preemptor, nodeName, result.victims());
        }
    }

    /** What made room is for others to notice. The registration only has the pod looked at again when a victim is gone. */
    @Override
    public List<EventRegistration> eventsToRegister() {
        return isAsync
                ? List.of(EventRegistration.of(
                        ClusterEvent.of(EventResource.POD, ActionType.DELETE), Pod.class, (pod, change) -> Hint.SKIP))
                : List.of();
    }

    private boolean isWaitingForVictims(Pod pod, NodeStatuses statuses) {
        NodeInfo nominated =
                handle.snapshot().node(pod.status().nominatedNodeName()).orElse(null);
        if (nominated == null || statuses.status(nominated).code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
            return false;
        }
        for (Pod other : nominated.pods()) {
            if (other.spec().priority() < pod.spec().priority() && isLeavingByPreemption(other)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLeavingByPreemption(Pod pod) {
        return pod.metadata().isDeleting()
                && pod.status()
                        .condition(PodCondition.DISRUPTION_TARGET)
                        .filter(condition -> condition.status().equals("True")
                                && condition.reason().equals(Evictions.REASON))
                        .isPresent();
    }

    // Those that break no budget come first.
    private List<Candidate> candidates(CycleState state, Pod pod, List<NodeInfo> nodes, FitMessage whyNot) {
        VictimSelection selection = new VictimSelection(handle, pod, List.copyOf(budgets.all()));
        int wanted = args.candidates(nodes.size());
        int offset = handle.random().nextInt(nodes.size());
        List<Candidate> lawful = new ArrayList<>();
        List<Candidate> unlawful = new ArrayList<>();
        Set<String> failures = new LinkedHashSet<>();
        for (int i = 0; i < nodes.size(); i++) {
            NodeInfo node = nodes.get((offset + i) % nodes.size());
            try {
                VictimSelection.Outcome outcome = selection.on(node, state);
                Candidate candidate = outcome.candidate();
                if (candidate == null) {
                    whyNot.add(outcome.status());
                } else if (candidate.violations() == 0) {
                    lawful.add(candidate);
                } else if (unlawful.size() < wanted) {
                    unlawful.add(candidate);
                }
            } catch (RuntimeException failed) {
                failures.add(String.valueOf(failed.getMessage()));
            }
            if (!lawful.isEmpty() && lawful.size() + unlawful.size() >= wanted) {
                break;
            }
        }
        lawful.addAll(unlawful);
        if (lawful.isEmpty() && !failures.isEmpty()) {
            throw new IllegalStateException(
                    SAYS + (failures.size() == 1 ? String.join("", failures) : failures.toString()));
        }
        return lawful;
    }
}
