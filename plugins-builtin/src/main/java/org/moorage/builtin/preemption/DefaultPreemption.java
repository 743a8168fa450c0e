// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.preemption;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.FitMessage;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.Extender;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.PodGroupPostFilterResult;
import org.moorage.api.plugin.PodGroupTrial;
import org.moorage.api.plugin.PostFilterPlugin;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.Problems;

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
    private static final Status NEVER_PREEMPTS =
            Status.unschedulable(PREFIX + "not eligible due to preemptionPolicy=Never.");
    private static final Status VICTIM_TERMINATING =
            Status.unschedulable(PREFIX + "not eligible due to a terminating pod on the nominated node.");
    private static final Status NO_CANDIDATE = Status.unschedulable(PREFIX + "no candidate node for preemption");
    private static final Status NOT_HELPFUL = Status.unresolvable("Preemption is not helpful for scheduling");

    private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);

    // Stands for the node in the messages about a group's victims.
    private static final String CLUSTER = "cluster";

    /** The policy of a pod or group that never preempts. */
    static final String NEVER = "Never";

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
    private final PodGroupPreemption podGroupPreemption;
    private final boolean isAsync;
    private final boolean hasGroups;

    DefaultPreemption(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        pods = handle.lister(ObjectKind.POD);
        budgets = handle.lister(ObjectKind.POD_DISRUPTION_BUDGET);
        evictions = new Evictions(handle);
        podGroupPreemption = new PodGroupPreemption(handle);
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
            return evictions.isRunningFor(pod, pod.uid()) ? PREEMPTION_IN_PROGRESS : Status.success();
        }
        PodGroupLister groups = handle.podGroups();
        return groups.root(pod)
                        .flatMap(groups::group)
                        .filter(root ->
                                evictions.isRunningFor(pod, root.metadata().uid()))
                        .isPresent()
                ? GROUP_PREEMPTION_IN_PROGRESS
                : Status.success();
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod podOfCycle, NodeStatuses statuses) {
        // The nominated node may be newer than in the cycle's pod. A pod that is only evaluated may not
        // be in the cluster.
        Pod pod = pods.current(podOfCycle)
                .filter(listed -> listed.uid().equals(podOfCycle.uid()))
                .orElse(podOfCycle);
        if (pod.spec().preemptionPolicy().equals(NEVER)) {
            return PostFilterResult.rejected(NEVER_PREEMPTS);
        }
        Optional<String> unavailable = budgets.unavailable();
        if (unavailable.isPresent()) {
            return PostFilterResult.rejected(Status.unschedulable(PREFIX + unavailable.get()));
        }
        PossibleVictims possibleVictims =
                new PossibleVictims(handle.featureGates(), handle.snapshot().podGroups());
        if (hasTerminatingVictim(pod, statuses, possibleVictims)) {
            return PostFilterResult.rejected(VICTIM_TERMINATING);
        }
        List<NodeInfo> nodes = statuses.nodesWithCode(Code.UNSCHEDULABLE);
        FitMessage fitMessage = new FitMessage(handle.snapshot().nodes().size());
        List<Candidate> candidates =
                nodes.isEmpty() ? List.of() : candidates(state, pod, nodes, possibleVictims, fitMessage);
        if (candidates.isEmpty()) {
            fitMessage.add(NOT_HELPFUL, handle.snapshot().nodes().size() - nodes.size());
            return PostFilterResult.rejected(Status.unschedulable(PREFIX + fitMessage), Nomination.clear());
        }
        candidates = askExtenders(pod, candidates);
        if (candidates.isEmpty()) {
            return PostFilterResult.rejected(NO_CANDIDATE);
        }
        Candidate best = Collections.min(candidates, Candidate.BEST_FIRST);
        return PostFilterResult.nominated(
                        best.nodeName(),
                        best.victims(),
                        PREFIX + "found a potential placement for pod on node " + best.nodeName() + ", preempting "
                                + best.victims().size() + " victims")
                .withPdbViolations(best.pdbViolations());
    }

    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        String nodeName = result.nomination().nodeName();
        if (nodeName.isEmpty()) {
            return DONE;
        }
        Pod preemptor = pods.current(pod)
                .filter(known -> known.uid().equals(pod.uid()))
                .orElseThrow(() -> new PluginException(PREFIX + "pod \"" + pod.name() + "\" not found"));
        return evict(Preemptor.of(preemptor), nodeName, result.victims());
    }

    private CompletionStage<?> evict(Preemptor preemptor, String nodeName, List<Pod> victims) {
        if (isAsync) {
            return evictions.start(preemptor, nodeName, victims);
        }
        evictions.run(preemptor, nodeName, victims);
        return DONE;
    }

    @Override
    public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
        return podGroupPreemption.makeRoom(group, trial);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        return result.victims().isEmpty() ? DONE : evict(Preemptor.of(group), CLUSTER, result.victims());
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

    private boolean hasTerminatingVictim(Pod pod, NodeStatuses statuses, PossibleVictims possibleVictims) {
        NodeInfo nominated =
                handle.snapshot().node(pod.status().nominatedNodeName()).orElse(null);
        return nominated != null
                && statuses.status(nominated).code() != Code.UNSCHEDULABLE_AND_UNRESOLVABLE
                && possibleVictims.isAnyLeaving(pod.spec().priority(), nominated);
    }

    // The candidates that extenders keep, with the victims that they return.
    private List<Candidate> askExtenders(Pod pod, List<Candidate> candidates) {
        Map<String, Extender.Victims> victimsByNode = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            victimsByNode.put(
                    candidate.nodeName(), new Extender.Victims(candidate.victims(), candidate.pdbViolations()));
        }
        boolean asked = false;
        for (Extender extender : handle.extenders()) {
            if (extender.supportsPreemption() && extender.isInterested(pod) && !victimsByNode.isEmpty()) {
                victimsByNode = askExtender(extender, pod, victimsByNode);
                asked = true;
            }
        }
        if (!asked) {
            return candidates;
        }
        List<Candidate> left = new ArrayList<>();
        victimsByNode.forEach(
                (node, victims) -> left.add(new Candidate(node, victims.pods(), victims.pdbViolations())));
        return left;
    }

    private static Map<String, Extender.Victims> askExtender(
            Extender extender, Pod pod, Map<String, Extender.Victims> victimsByNode) {
        Map<String, Extender.Victims> left;
        try {
            left = new LinkedHashMap<>(extender.processPreemption(pod, victimsByNode));
        } catch (RuntimeException failed) {
            if (extender.isIgnorable()) {
                return victimsByNode;
            }
            throw new PluginException(PREFIX + failed.getMessage(), failed);
        }
        for (String node : List.copyOf(left.keySet())) {
            Extender.Victims victims = left.get(node);
            if (victims == null || victims.pods().isEmpty()) {
                if (!extender.isIgnorable()) {
                    throw new PluginException(PREFIX + "expected at least one victim pod on node \"" + node + "\"");
                }
                left.remove(node);
            }
        }
        return left;
    }

    // Candidates without PDB violations come first.
    private List<Candidate> candidates(
            CycleState state, Pod pod, List<NodeInfo> nodes, PossibleVictims possibleVictims, FitMessage fitMessage) {
        VictimSelection selection = new VictimSelection(handle, pod, possibleVictims, Reprieve.ordered(budgets));
        int enough = args.candidates(nodes.size());
        int offset = handle.random().nextInt(nodes.size());
        List<Candidate> nonViolating = new ArrayList<>();
        List<Candidate> violating = new ArrayList<>();
        Set<String> failures = new LinkedHashSet<>();
        for (int i = 0; i < nodes.size(); i++) {
            NodeInfo node = nodes.get((offset + i) % nodes.size());
            try {
                VictimSelection.Selection selected = selection.on(node, state);
                Candidate candidate = selected.candidate();
                if (candidate == null) {
                    fitMessage.add(selected.status());
                } else if (candidate.pdbViolations() == 0) {
                    nonViolating.add(candidate);
                } else if (violating.size() < enough) {
                    violating.add(candidate);
                }
            } catch (RuntimeException failed) {
                failures.add(String.valueOf(failed.getMessage()));
            }
            if (!nonViolating.isEmpty() && nonViolating.size() + violating.size() >= enough) {
                break;
            }
        }
        nonViolating.addAll(violating);
        if (nonViolating.isEmpty() && !failures.isEmpty()) {
            throw new PluginException(
                    PREFIX + (failures.size() == 1 ? String.join("", failures) : failures.toString()));
        }
        return nonViolating;
    }
}
