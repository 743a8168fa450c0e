// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.plugin.PluginText;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.GroupEvaluation.Attempt;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.GroupEvaluationRecorder;
import org.moorage.runtime.internal.cycle.GroupResult;
import org.moorage.runtime.internal.cycle.GroupStatus;
import org.moorage.runtime.internal.cycle.MemberResult;
import org.moorage.runtime.internal.cycle.PodGroupAlgorithm;
import org.moorage.runtime.internal.cycle.PodGroupPostFilterRun;
import org.moorage.runtime.internal.cycle.PostFilterRun;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.RejectionMessage;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.queue.PodGroupOutcome;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.report.PodGroupConditions;
import org.moorage.runtime.internal.report.PodGroupEvents;
import org.moorage.runtime.internal.report.SchedulingFailures;

/**
 * The scheduling cycle of a group of pods. It finds nodes for all pending pods of the group on the snapshot. Then it
 * assumes and binds the pods that have a node, one by one, and returns the others to the queue. Same decisions as
 * kube-scheduler's pod group cycle.
 */
public final class PodGroupCycle {
    private static final Log LOG = Log.of(PodGroupCycle.class);

    private final Map<String, Profile> profiles;
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final SchedulingCycle podCycle;
    private final SchedulingFailures failures;
    private final PodGroupConditions conditions;
    private final PodGroupEvents events;
    private final FeatureGates features;
    private final @Nullable RandomGenerator ties;
    private final Listeners listeners;

    /**
     * Creates a cycle for groups of any profile.
     *
     * @param podCycle assumes and binds the pods
     * @param ties chooses among the best placements; null for the first of them
     * @param listeners receive the results of attempts at groups
     */
    public PodGroupCycle(
            Map<String, Profile> profiles,
            SchedulerCache cache,
            SchedulingQueue queue,
            SchedulingCycle podCycle,
            SchedulingFailures failures,
            PodGroupConditions conditions,
            PodGroupEvents events,
            FeatureGates features,
            @Nullable RandomGenerator ties,
            Listeners listeners) {
        this.profiles = profiles;
        this.cache = cache;
        this.queue = queue;
        this.podCycle = podCycle;
        this.failures = failures;
        this.conditions = conditions;
        this.events = events;
        this.features = features;
        this.ties = ties;
        this.listeners = listeners;
        if (features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            profiles.values().forEach(PodGroupCycle::checkGangs);
        }
    }

    private static void checkGangs(Profile profile) {
        if (profile.at(ExtensionPoint.PLACEMENT_FEASIBLE).isEmpty()) {
            LOG.atError()
                    .addKeyValue("profile", profile.name())
                    .log("GenericWorkload is enabled, but GangScheduling plugin is not set. Gang scheduling using"
                            + " PodGroups may not work as expected.");
        }
    }

    /**
     * Schedules a group. If anything is thrown in the cycle, its pods go back into the queue, unless the attempt was
     * abandoned: then {@link #abandoned} puts them back.
     *
     * @return the decision about its last pod; empty if no pod has to be scheduled, or the attempt was abandoned
     */
    Optional<Decision> run(CycleAttempt attempt, QueuedPodGroupInfo queued, SchedulingAlgorithm algorithm) {
        try {
            return schedule(attempt, queued, algorithm);
        } catch (Throwable thrown) {
            try {
                LOG.atError().addKeyValue("podGroup", queued).setCause(thrown).log("Error scheduling pod group");
                return failed(attempt, queued, attempt.pods(), Thrown.text(thrown));
            } finally {
                Thrown.rethrowIfFatal(thrown);
            }
        }
    }

    /**
     * Puts a group back into the queue whose attempt was abandoned because a plugin does not return.
     *
     * @param left the pods that go back into the queue
     */
    void abandoned(
            CycleAttempt attempt, QueuedPodGroupInfo queued, List<QueuedPodInfo> left, String plugin, String message) {
        LOG.atError()
                .addKeyValue("podGroup", queued)
                .addKeyValue("plugin", plugin)
                .addKeyValue("err", message)
                .log("Error scheduling pod group");
        attempt.reservations().abandon();
        for (QueuedPodInfo pod : left) {
            Decision ignored = failures.error(pod, message, 0);
        }
        queue.addAttemptedPodGroup(queued, PodGroupOutcome.ERROR);
    }

    // Fails the pods whose results the cycle has not committed to.
    private Optional<Decision> failed(
            CycleAttempt attempt, QueuedPodGroupInfo queued, List<QueuedPodInfo> pods, String message) {
        Decision last = null;
        for (QueuedPodInfo pod : pods) {
            if (attempt.commitFirst(pod)) {
                last = failures.error(pod, message, 0);
            }
        }
        listeners.on(listener -> listener.groupDecided(queued.tree().key(), "error", message));
        finish(attempt, queued, PodGroupOutcome.ERROR);
        return Optional.ofNullable(last);
    }

    private void finish(CycleAttempt attempt, QueuedPodGroupInfo queued, PodGroupOutcome outcome) {
        if (attempt.finish()) {
            queue.addAttemptedPodGroup(queued, outcome);
        }
    }

    private Optional<Decision> schedule(
            CycleAttempt attempt, QueuedPodGroupInfo queued, SchedulingAlgorithm algorithm) {
        TrialSnapshot snapshot = algorithm.snapshot();
        long start = System.nanoTime();
        snapshot.update(cache);
        Profile profile;
        GroupTree all;
        try {
            all = queued.tree().in(snapshot.podGroups(), features);
        } catch (GroupTree.Refused refused) {
            return failed(attempt, queued, attempt.pods(), refused.getMessage());
        }
        try {
            profile = all.profile(profiles, snapshot.podGroups(), features);
        } catch (GroupTree.Refused refused) {
            all.forEachPodGroup(leaf ->
                    conditions.update((PodGroup) leaf.group(), "False", "SchedulerError", refused.getMessage()));
            return failed(attempt, queued, attempt.pods(), refused.getMessage());
        }
        Map<String, QueuedPodInfo> byUid = new HashMap<>();
        GroupTree root = withoutSkipped(attempt, queued, all, byUid);
        if (byUid.isEmpty()) {
            finish(attempt, queued, PodGroupOutcome.SUCCESS);
            return Optional.empty();
        }
        LOG.atDebug().addKeyValue("podGroup", queued).log("Attempting to schedule pod group");
        PodGroupAlgorithm groupAlgorithm =
                new PodGroupAlgorithm(algorithm, profile, features, ties, attempt.reservations());
        CycleState state = new CycleState();
        GroupEvaluationRecorder recorder = new GroupEvaluationRecorder(GroupEvaluationRecorder.Detail.PROGRESS);
        Map<GroupKey, GroupResult> results = groupAlgorithm.find(root, state, recorder);
        Code code = Objects.requireNonNull(results.get(root.key())).status().code();
        GroupResult.complete(root, results);
        listeners.measure(listener -> listener.groupAlgorithmRan(System.nanoTime() - start));
        if (code == Code.SUCCESS && !queued.isRepeat() && queue.hasNewcomers(queued)) {
            repeat(attempt, queued);
            return Optional.empty();
        }
        if (code == Code.UNSCHEDULABLE) {
            new PodGroupPostFilterRun(groupAlgorithm, PostFilterRun.Execution.DONE).run(root, state, results);
        }
        Optional<Decision> last = commit(attempt, profile, root, results, byUid);
        if (code == Code.UNSCHEDULABLE && !attempt.isAbandoned()) {
            recorder.attempt().ifPresent(tried -> reportEvent(tried, root, profile));
        }
        GroupResult ofRoot = Objects.requireNonNull(results.get(root.key()));
        listeners.measure(
                listener -> listener.groupAttempted(profile.name(), result(ofRoot), System.nanoTime() - start));
        listeners.on(listener -> listener.groupDecided(
                root.key(),
                result(ofRoot),
                code == Code.SUCCESS ? "" : ofRoot.status().message()));
        // As in kube-scheduler, the outcome is the one before PodGroupPostFilter.
        finish(
                attempt,
                queued,
                code == Code.SUCCESS
                        ? PodGroupOutcome.SUCCESS
                        : code.isRejection() ? PodGroupOutcome.REJECTED : PodGroupOutcome.ERROR);
        return last;
    }

    // The pods of a group are created one after the other. If the first were scheduled alone, it might take a node
    // where the others do not fit. The attempt is repeated only once, so that a stream of new pods cannot delay the
    // existing ones.
    private void repeat(CycleAttempt attempt, QueuedPodGroupInfo queued) {
        LOG.atDebug()
                .addKeyValue("podGroup", queued)
                .log("Pods have joined the pod group; the attempt is repeated with them");
        for (QueuedPodInfo pod : attempt.pods()) {
            if (attempt.commitFirst(pod)) {
                failures.repeat(pod);
            }
        }
        finish(attempt, queued, PodGroupOutcome.REPEAT);
    }

    private void reportEvent(Attempt tried, GroupTree root, Profile profile) {
        List<Attempt> path = tried.path();
        GroupKey stopped = path.get(path.size() - 1).group();
        root.forEachPodGroup(leaf -> {
            if (leaf.key().equals(stopped)) {
                events.failed(path, (PodGroup) leaf.group(), profile.name());
            }
        });
    }

    /**
     * Returns the result that an attempt at a group would have now. It makes no decisions, and releases what plugins
     * reserve.
     *
     * @param group the group; the attempt is at its topmost ancestor
     */
    public GroupEvaluation evaluate(GroupKey group, SchedulingAlgorithm algorithm) {
        TrialSnapshot snapshot = algorithm.snapshot();
        snapshot.update(cache);
        Optional<GroupTree> queued = queue.tree(group);
        if (queued.isEmpty()) {
            return untried(group, List.of(), group + " or a group above it is not known");
        }
        GroupTree all;
        Profile profile;
        try {
            all = queued.get().in(snapshot.podGroups(), features);
            if (all.unscheduledPods().isEmpty()) {
                return untried(all.key(), List.of(), "");
            }
            profile = all.profile(profiles, snapshot.podGroups(), features).unmeasured();
        } catch (GroupTree.Refused refused) {
            return untried(queued.get().key(), queued.get().unscheduledPods(), refused.getMessage());
        }
        GroupTree root = all.only(pod -> !pod.metadata().isDeleting() && !cache.isAssumed(pod.uid()));
        if (root.unscheduledPods().isEmpty()) {
            return untried(root.key(), List.of(), "");
        }
        return evaluate(root, profile, algorithm);
    }

    private static GroupEvaluation untried(GroupKey root, List<Pod> pods, String message) {
        return new GroupEvaluation(
                root, pods, message.isEmpty(), message, Optional.empty(), Optional.empty(), List.of());
    }

    private GroupEvaluation evaluate(GroupTree root, Profile profile, SchedulingAlgorithm algorithm) {
        PodGroupAlgorithm groupAlgorithm =
                new PodGroupAlgorithm(algorithm, profile, features, ties, new Reservation.Held());
        GroupEvaluationRecorder recorder = new GroupEvaluationRecorder(GroupEvaluationRecorder.Detail.ALL);
        CycleState state = new CycleState();
        Map<GroupKey, GroupResult> results = groupAlgorithm.find(root, state, recorder);
        Code code = Objects.requireNonNull(results.get(root.key())).status().code();
        GroupResult.complete(root, results);
        Optional<PodGroupPostFilterRun.Combined> answer = Optional.empty();
        if (code == Code.UNSCHEDULABLE) {
            answer = Optional.of(new PodGroupPostFilterRun(groupAlgorithm, PostFilterRun.Execution.LEFT_OUT)
                    .run(root, state, results));
        }
        return new GroupEvaluation(
                root.key(),
                root.unscheduledPods(),
                code == Code.SUCCESS,
                Objects.requireNonNull(results.get(root.key())).status().message(),
                recorder.attempt(),
                answer.map(PodGroupPostFilterRun.Combined::status),
                answer.map(PodGroupPostFilterRun.Combined::victims).orElse(List.of()));
    }

    private static String result(GroupResult root) {
        return switch (root.status().code()) {
            case SUCCESS -> "scheduled";
            case UNSCHEDULABLE, UNSCHEDULABLE_AND_UNRESOLVABLE, PENDING ->
                root.waitsOnPreemption() ? "waiting_on_preemption" : "unschedulable";
            case ERROR, SKIP -> "error";
        };
    }

    // Drops the pods that are being deleted or are assumed, which do not have to be scheduled.
    private GroupTree withoutSkipped(
            CycleAttempt attempt, QueuedPodGroupInfo queued, GroupTree root, Map<String, QueuedPodInfo> left) {
        for (QueuedPodInfo member : queued.members()) {
            Pod pod = member.pod();
            boolean isAssumed = cache.isAssumed(pod.uid());
            if (!isAssumed && !pod.metadata().isDeleting()) {
                left.put(pod.uid(), member);
            } else if (attempt.commit(member)) {
                if (isAssumed) {
                    queue.done(member);
                } else {
                    failures.skipDeleting(member);
                }
            }
        }
        return left.size() == queued.members().size() ? root : root.only(pod -> left.containsKey(pod.uid()));
    }

    private Optional<Decision> commit(
            CycleAttempt attempt,
            Profile profile,
            GroupTree root,
            Map<GroupKey, GroupResult> results,
            Map<String, QueuedPodInfo> byUid) {
        List<Decision> decisions = new ArrayList<>();
        root.forEachPodGroup(leaf -> {
            GroupResult result = Objects.requireNonNull(results.get(leaf.key()));
            for (MemberResult member : result.members()) {
                QueuedPodInfo queued =
                        Objects.requireNonNull(byUid.get(member.pod().uid()));
                if (attempt.commit(queued)) {
                    decisions.add(commitOrFail(profile, result, member, queued));
                }
            }
            if (!attempt.isAbandoned()) {
                report((PodGroup) leaf.group(), result);
            }
        });
        return decisions.isEmpty() ? Optional.empty() : Optional.of(decisions.get(decisions.size() - 1));
    }

    // If anything is thrown, the pod must go back into the queue here: once committed, only the cycle acts on it.
    private Decision commitOrFail(Profile profile, GroupResult result, MemberResult member, QueuedPodInfo queued) {
        try {
            return commit(profile, result, member, queued);
        } catch (Throwable thrown) {
            Decision ignored = error(queued, Thrown.text(thrown));
            throw thrown;
        }
    }

    private Decision commit(Profile profile, GroupResult result, MemberResult member, QueuedPodInfo queued) {
        GroupStatus ofGroup = result.status();
        if (ofGroup.code() == Code.ERROR) {
            return error(queued, member.code() == Code.ERROR ? member.message().text() : ofGroup.message());
        }
        if (member.code() == Code.ERROR) {
            return error(queued, member.message().text());
        }
        if (!member.isScheduled()) {
            Diagnosis diagnosis = member.diagnosis();
            return unschedulable(
                    queued,
                    member,
                    member.message(),
                    diagnosis == null ? RejectorPlugins.NONE : SchedulingFailures.rejectors(diagnosis),
                    member.nomination());
        }
        if (ofGroup.code() == Code.SUCCESS) {
            SchedulingAlgorithm.Result found = Objects.requireNonNull(member.found());
            return podCycle.assumeAndBind(
                    queued, profile, member.state().withoutParent(), Objects.requireNonNull(found.node()), found);
        }
        return result.waitsOnPreemption()
                ? unschedulable(
                        queued,
                        member,
                        RejectionMessage.of(ofGroup.message()),
                        RejectorPlugins.NONE,
                        member.nomination())
                : unschedulable(
                        queued,
                        member,
                        RejectionMessage.of(GroupStatus.UNSCHEDULABLE + ", " + ofGroup.message()),
                        RejectorPlugins.NONE,
                        Nomination.clear());
    }

    private Decision error(QueuedPodInfo queued, String message) {
        return failures.error(queued, PluginStatus.error("", message), 0);
    }

    private Decision unschedulable(
            QueuedPodInfo queued,
            MemberResult member,
            RejectionMessage message,
            RejectorPlugins rejectors,
            Nomination nomination) {
        Diagnosis diagnosis = member.diagnosis();
        if (diagnosis != null) {
            listeners.explain(
                    queued.pod(),
                    () -> new AttemptDetails(diagnosis.reasons(), List.of(), Optional.empty(), nomination.nodeName()));
        }
        return failures.unschedulable(queued, message, member.evaluated(), rejectors, nomination);
    }

    private void report(PodGroup group, GroupResult result) {
        String message = result.status().message();
        switch (result.status().code()) {
            case SUCCESS -> {
                LOG.atDebug().addKeyValue("podGroup", group.key()).log("Successfully scheduled a pod group");
                conditions.update(group, "True", "Scheduled", message);
            }
            case UNSCHEDULABLE, UNSCHEDULABLE_AND_UNRESOLVABLE, PENDING -> {
                LOG.atDebug()
                        .addKeyValue("podGroup", group.key())
                        .addKeyValue("err", PluginText.bounded(message))
                        .log(
                                result.waitsOnPreemption()
                                        ? "Pod group is waiting for preemption"
                                        : "Unable to schedule a pod group");
                conditions.update(group, "False", "Unschedulable", message);
            }
            case ERROR, SKIP -> {
                LOG.atError()
                        .addKeyValue("podGroup", group.key())
                        .addKeyValue("err", PluginText.bounded(message))
                        .log("Error scheduling pod group");
                conditions.update(group, "False", "SchedulerError", message);
            }
        }
    }
}
