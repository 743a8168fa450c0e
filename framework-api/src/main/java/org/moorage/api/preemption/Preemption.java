// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

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
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.Extender;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterResult;

/**
 * Preemption for a PostFilter plugin: selects pods to evict from a node, so that a pod that fits on no node fits there.
 * The plugin's {@link PreemptionRules} decide which pods may be evicted; the rest is as in kube-scheduler. Disruption
 * budgets are respected where possible, groups of pods of {@code scheduling.k8s.io} are evicted by their disruption mode,
 * extenders are called, and the node with the least important victims is picked.
 *
 * <pre>{@code
 * PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
 *     return preemption.makeRoom(state, pod, statuses);
 * }
 *
 * CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
 *     return preemption.evict(pod, result);
 * }
 * }</pre>
 *
 * <p>For a pod, the dry run starts at a random node and ends when there are enough candidates.
 */
public final class Preemption {
    static final String NEVER = "Never";

    private static final String NEVER_PREEMPTS = "not eligible due to preemptionPolicy=Never.";
    private static final String VICTIM_TERMINATING = "not eligible due to a terminating pod on the nominated node.";
    private static final String NO_CANDIDATE = "no candidate node for preemption";
    private static final Status NOT_HELPFUL = Status.unresolvable("Preemption is not helpful for scheduling");

    private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);

    // Stands for the node in the messages about a group's victims.
    private static final String CLUSTER = "cluster";

    private final PreemptionRules rules;
    private final Handle handle;
    private final ObjectLister<Pod> pods;
    private final ObjectLister<PodDisruptionBudget> budgets;
    private final Evictions evictions;
    // Without the feature, as kube-scheduler: a pod that is tried again before the event of the deletion evicts others.
    private final boolean remembersVictims;
    private final PodGroupPreemption podGroupPreemption;

    /**
     * Creates the preemption of a plugin. Call this while the plugin is created.
     *
     * @param pluginName the plugin's name
     */
    public Preemption(Handle handle, String pluginName, PreemptionRules rules) {
        this.handle = handle;
        this.rules = rules;
        pods = handle.cluster().lister(ObjectKind.POD);
        budgets = handle.cluster().lister(ObjectKind.POD_DISRUPTION_BUDGET);
        evictions = new Evictions(handle, pluginName);
        remembersVictims = handle.featureGates().isEnabled(FeatureGates.SCHEDULER_ASYNC_PREEMPTION);
        podGroupPreemption = new PodGroupPreemption(handle);
    }

    /** Returns whether a pod is being deleted because it was preempted. */
    public static boolean isPreempted(Pod pod) {
        return pod.metadata().isDeleting()
                && pod.status()
                        .condition(PodCondition.DISRUPTION_TARGET)
                        .filter(condition -> condition.status().equals("True")
                                && condition.reason().equals(Evictions.REASON))
                        .isPresent();
    }

    /**
     * Returns the larger of two numbers of candidates, as the arguments of kube-scheduler's DefaultPreemption give them.
     *
     * @param nodes the number of nodes where preemption could help
     * @param percentage a percentage of these
     * @param absolute a number of nodes
     */
    public static int enoughCandidates(int nodes, int percentage, int absolute) {
        long share = (long) nodes * percentage / 100;
        return (int) Math.min(nodes, Math.max(share, absolute));
    }

    /**
     * Returns whether victims are being evicted for a pod by {@link #startEvicting}, until the last one is observed to
     * leave.
     *
     * @param preemptorUid the UID of the pod, or of the group that victims are evicted for
     */
    public boolean isEvictingFor(Pod pod, String preemptorUid) {
        return evictions.isRunningFor(pod, preemptorUid);
    }

    /**
     * Selects a node and the pods to evict from it, for {@link
     * org.moorage.api.plugin.point.PostFilterPlugin#postFilter}.
     *
     * @throws PluginException if no node is a candidate and the selection failed on a node
     */
    public PostFilterResult makeRoom(CycleState state, Pod podOfCycle, NodeStatuses statuses) {
        // The nominated node may be newer than in the cycle's pod. A pod that is only evaluated may not
        // be in the cluster.
        Pod pod = pods.current(podOfCycle)
                .filter(listed -> listed.uid().equals(podOfCycle.uid()))
                .orElse(podOfCycle);
        if (pod.spec().preemptionPolicy().equals(NEVER)) {
            return PostFilterResult.rejected(rejection(NEVER_PREEMPTS));
        }
        Optional<String> unavailable = budgets.unavailable();
        if (unavailable.isPresent()) {
            return PostFilterResult.rejected(rejection(unavailable.get()));
        }
        PossibleVictims possibleVictims =
                new PossibleVictims(handle.featureGates(), handle.snapshot().podGroups());
        if (hasTerminatingVictim(state, pod, statuses, possibleVictims)
                || remembersVictims && evictions.isRunningFor(pod.uid())) {
            return PostFilterResult.rejected(rejection(VICTIM_TERMINATING));
        }
        List<NodeInfo> nodes = statuses.nodesWithCode(Code.UNSCHEDULABLE);
        FitMessage fitMessage = new FitMessage(handle.snapshot().nodes().size());
        List<Candidate> candidates =
                nodes.isEmpty() ? List.of() : candidates(state, pod, nodes, possibleVictims, fitMessage);
        if (candidates.isEmpty()) {
            fitMessage.add(NOT_HELPFUL, handle.snapshot().nodes().size() - nodes.size());
            return PostFilterResult.rejected(rejection(fitMessage.toString()), Nomination.clear());
        }
        candidates = askExtenders(pod, candidates);
        if (candidates.isEmpty()) {
            return PostFilterResult.rejected(rejection(NO_CANDIDATE));
        }
        Candidate best = Collections.min(candidates, Candidate.BEST_FIRST);
        return PostFilterResult.nominated(
                        best.nodeName(),
                        best.victims(),
                        rules.messagePrefix() + "found a potential placement for pod on node " + best.nodeName()
                                + ", preempting " + best.victims().size() + " victims")
                .withPdbViolations(best.pdbViolations());
    }

    private Status rejection(String message) {
        return Status.unschedulable(rules.messagePrefix() + message);
    }

    /**
     * Evicts the victims of a result of {@link #makeRoom}, and returns when that is done. For {@link
     * org.moorage.api.plugin.point.PostFilterPlugin#execute}. Until the scheduler observes it, {@link #makeRoom} makes
     * no further room for the pod, if the feature SchedulerAsyncPreemption is enabled.
     */
    public CompletionStage<?> evict(Pod pod, PostFilterResult result) {
        String nodeName = result.nomination().nodeName();
        if (!nodeName.isEmpty()) {
            evictions.run(Preemptor.of(current(pod)), nodeName, result.victims());
        }
        return DONE;
    }

    /** Starts to evict the victims of a result of {@link #makeRoom}, in the background. */
    public CompletionStage<?> startEvicting(Pod pod, PostFilterResult result) {
        String nodeName = result.nomination().nodeName();
        return nodeName.isEmpty() ? DONE : evictions.start(Preemptor.of(current(pod)), nodeName, result.victims());
    }

    private Pod current(Pod pod) {
        return pods.current(pod)
                .filter(known -> known.uid().equals(pod.uid()))
                .orElseThrow(() -> new PluginException(rules.messagePrefix() + "pod \"" + pod.name() + "\" not found"));
    }

    /** Selects the pods to evict from the cluster for a group; every pod of lower priority may be evicted. */
    public PodGroupPostFilterResult makeRoom(PodGroupInfo group, PodGroupTrial trial) {
        return podGroupPreemption.makeRoom(group, trial);
    }

    /** Evicts the victims for a group, and returns when that is done. */
    public CompletionStage<?> evict(PodGroupInfo group, PodGroupPostFilterResult result) {
        if (!result.victims().isEmpty()) {
            evictions.run(Preemptor.of(group), CLUSTER, result.victims());
        }
        return DONE;
    }

    /** Starts to evict the victims for a group, in the background. */
    public CompletionStage<?> startEvicting(PodGroupInfo group, PodGroupPostFilterResult result) {
        return result.victims().isEmpty() ? DONE : evictions.start(Preemptor.of(group), CLUSTER, result.victims());
    }

    private boolean hasTerminatingVictim(
            CycleState state, Pod pod, NodeStatuses statuses, PossibleVictims possibleVictims) {
        NodeInfo nominated =
                handle.snapshot().node(pod.status().nominatedNodeName()).orElse(null);
        if (nominated == null || statuses.status(nominated).code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
            return false;
        }
        for (Pod other : nominated.pods()) {
            if (other.metadata().isDeleting() && rules.waitsFor(state, pod, other, possibleVictims.priority(other))) {
                return true;
            }
        }
        return false;
    }

    // The candidates that extenders keep, with the victims that they return.
    private List<Candidate> askExtenders(Pod pod, List<Candidate> candidates) {
        Map<String, Extender.Victims> victimsByNode = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            victimsByNode.put(
                    candidate.nodeName(), Extender.Victims.of(candidate.victims(), candidate.pdbViolations()));
        }
        boolean asked = false;
        for (Extender extender : handle.preemption().extenders()) {
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

    private Map<String, Extender.Victims> askExtender(
            Extender extender, Pod pod, Map<String, Extender.Victims> victimsByNode) {
        Map<String, Extender.Victims> left;
        try {
            left = new LinkedHashMap<>(extender.processPreemption(pod, victimsByNode));
        } catch (RuntimeException failed) {
            if (extender.isIgnorable()) {
                return victimsByNode;
            }
            throw new PluginException(rules.messagePrefix() + failed.getMessage(), failed);
        }
        for (String node : List.copyOf(left.keySet())) {
            Extender.Victims victims = left.get(node);
            if (victims == null || victims.pods().isEmpty()) {
                if (!extender.isIgnorable()) {
                    throw new PluginException(
                            rules.messagePrefix() + "expected at least one victim pod on node \"" + node + "\"");
                }
                left.remove(node);
            }
        }
        return left;
    }

    // Candidates without PDB violations come first.
    private List<Candidate> candidates(
            CycleState state, Pod pod, List<NodeInfo> nodes, PossibleVictims possibleVictims, FitMessage fitMessage) {
        VictimSelection selection = new VictimSelection(handle, rules, pod, possibleVictims, Reprieve.ordered(budgets));
        int enough = rules.enoughCandidates(nodes.size());
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
                } else {
                    List<Candidate> found = candidate.pdbViolations() == 0 ? nonViolating : violating;
                    if (found.size() < enough) {
                        found.add(candidate);
                    } else if (enough == 0) {
                        // kube-scheduler keeps no candidate then, and has no other reason for the node.
                        fitMessage.add(NOT_HELPFUL);
                    }
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
                    rules.messagePrefix() + (failures.size() == 1 ? String.join("", failures) : failures.toString()));
        }
        return nonViolating;
    }
}
