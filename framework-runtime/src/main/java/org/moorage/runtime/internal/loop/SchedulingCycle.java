// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.runtime.internal.binding.AssumedPod;
import org.moorage.runtime.internal.binding.BindingCycle;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.PodAttempt;
import org.moorage.runtime.internal.cycle.PostFilterRun;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.RejectionMessage;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PointRun;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.report.SchedulingFailures;

/**
 * The scheduling cycle of one pod: takes it from the queue, chooses a node, and begins the binding cycle or returns the
 * pod to the queue.
 */
public final class SchedulingCycle {
    private static final Log LOG = Log.of(SchedulingCycle.class);

    private final Map<String, Profile> profiles;
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final Nominator nominator;
    private final BindingCycle binding;
    private final SchedulingFailures failures;
    private final Listeners listeners;

    public SchedulingCycle(
            Map<String, Profile> profiles,
            SchedulerCache cache,
            SchedulingQueue queue,
            Nominator nominator,
            BindingCycle binding,
            SchedulingFailures failures,
            Listeners listeners) {
        this.profiles = profiles;
        this.cache = cache;
        this.queue = queue;
        this.nominator = nominator;
        this.binding = binding;
        this.failures = failures;
        this.listeners = listeners;
    }

    /**
     * Schedules a pod. If anything is thrown in the cycle, the pod goes back into the queue, unless the attempt was
     * abandoned: then {@link #abandoned} puts it back.
     *
     * @return the decision; empty if the pod does not have to be scheduled, or the attempt was abandoned
     */
    Optional<Decision> run(CycleAttempt attempt, QueuedPodInfo queued, SchedulingAlgorithm algorithm) {
        try {
            return schedule(attempt, queued, algorithm);
        } catch (Throwable thrown) {
            try {
                return attempt.commit(queued) ? Optional.of(failed(queued, thrown)) : Optional.empty();
            } finally {
                Thrown.rethrowIfFatal(thrown);
            }
        }
    }

    private Decision failed(QueuedPodInfo queued, Throwable thrown) {
        LOG.atError()
                .addKeyValue("pod", queued.pod().key())
                .addKeyValue("plugin", thrown instanceof PluginFailure failure ? failure.plugin() : "")
                .setCause(thrown)
                .log("Error scheduling pod; retrying");
        return failures.error(queued, Thrown.text(thrown), 0);
    }

    /** Puts a pod back into the queue whose attempt was abandoned because a plugin does not return. */
    void abandoned(QueuedPodInfo queued, String plugin, String message) {
        Decision ignored = failures.error(queued, PluginStatus.error(plugin, message), 0);
    }

    private Optional<Decision> schedule(CycleAttempt attempt, QueuedPodInfo queued, SchedulingAlgorithm algorithm) {
        Pod pod = queued.pod();
        Profile profile = profiles.get(pod.spec().schedulerName());
        if (profile == null || cache.isAssumed(pod.uid())) {
            queue.done(queued);
            return Optional.empty();
        }
        if (pod.metadata().isDeleting()) {
            failures.skipDeleting(queued);
            return Optional.empty();
        }
        LOG.atDebug().addKeyValue("pod", pod.key()).log("Attempting to schedule pod");
        algorithm.snapshot().update(cache);
        if (algorithm.snapshot().nodes().isEmpty()) {
            return Optional.of(failures.unschedulable(
                    queued,
                    RejectionMessage.of(UnschedulableReasons.NO_NODES),
                    0,
                    RejectorPlugins.NONE,
                    Nomination.clear()));
        }
        CycleState state = new CycleState();
        long start = System.nanoTime();
        SchedulingAlgorithm.Result result;
        try {
            result = algorithm.find(profile, state, pod);
        } catch (PluginFailure failure) {
            profile.failed(failure);
            throw failure;
        } finally {
            listeners.measure(listener -> listener.algorithmRan(System.nanoTime() - start));
        }
        NodeInfo node = result.node();
        if (node == null) {
            return unschedulable(
                    attempt, queued, profile, state, Objects.requireNonNull(result.diagnosis()), result.evaluated());
        }
        if (!attempt.commit(queued)) {
            return Optional.empty();
        }
        listeners.explain(
                pod, () -> new AttemptDetails(List.of(), PodAttempt.of(state).best(), Optional.empty(), ""));
        return Optional.of(
                pod.isBound()
                        ? resizeFits(queued, profile, state, node, result.evaluated())
                        : assumeAndBind(queued, profile, state, node, result));
    }

    private Optional<Decision> unschedulable(
            CycleAttempt attempt,
            QueuedPodInfo queued,
            Profile profile,
            CycleState state,
            Diagnosis diagnosis,
            int evaluated) {
        String postFilterMessage = "";
        Nomination nomination = Nomination.keep();
        Optional<PluginStatus> postFilter = Optional.empty();
        try {
            Optional<PostFilterRun> answer =
                    PostFilterRun.of(profile, state, queued.pod(), diagnosis, PostFilterRun.Execution.DONE);
            postFilter = answer.map(
                    run -> new PluginStatus(run.plugin(), run.result().status()));
            postFilterMessage = postFilter.map(told -> told.status().message()).orElse("");
            nomination = answer.map(run -> run.result().nomination()).orElse(Nomination.clear());
        } catch (PluginFailure failure) {
            LOG.atError()
                    .addKeyValue("pod", queued.pod().key())
                    .addKeyValue("plugin", failure.plugin())
                    .setCause(failure)
                    .log("Status after running PostFilter plugins for pod");
            postFilterMessage = failure.getMessage();
            postFilter = Optional.of(PluginStatus.error(failure.plugin(), postFilterMessage));
        }
        if (!attempt.commit(queued)) {
            return Optional.empty();
        }
        Optional<PluginStatus> answered = postFilter;
        String nominated = nomination.nodeName();
        listeners.explain(queued.pod(), () -> new AttemptDetails(diagnosis.reasons(), List.of(), answered, nominated));
        return Optional.of(failures.unschedulable(
                queued,
                diagnosis.message(postFilterMessage),
                evaluated,
                SchedulingFailures.rejectors(diagnosis),
                nomination));
    }

    // Pods may have been rejected because of the nomination. kube-scheduler leaves them unschedulable until the flush.
    private void endNomination(Pod pod, String chosenNodeName) {
        Optional<String> nominated = nominator.nodeNameFor(pod).filter(nodeName -> !nodeName.equals(chosenNodeName));
        nominator.delete(pod);
        nominated.ifPresent(nodeName -> queue.nominationEnded(pod, nodeName));
    }

    // The pod is already in the cache, with its node, so it is not assumed. Permit determines which plugins it waits
    // for.
    private Decision resizeFits(QueuedPodInfo queued, Profile profile, CycleState state, NodeInfo node, int evaluated) {
        Set<String> rejectors = new LinkedHashSet<>();
        List<String> reasons = new ArrayList<>();
        for (PluginCaller plugin : profile.at(ExtensionPoint.PERMIT)) {
            Status status = plugin.permit(PointRun.UNMEASURED, state, queued.pod(), node.name())
                    .status();
            if (!status.isSuccess()) {
                rejectors.add(plugin.name());
                reasons.add(status.message());
            }
        }
        return failures.unschedulable(
                queued,
                RejectionMessage.of(String.join(", ", reasons)),
                evaluated,
                new RejectorPlugins(rejectors, Set.of()),
                Nomination.keep());
    }

    /** Assumes a pod on the node that was found for it, and begins its binding cycle. */
    Decision assumeAndBind(
            QueuedPodInfo queued, Profile profile, CycleState state, NodeInfo node, SchedulingAlgorithm.Result result) {
        Pod pod = queued.pod();
        Pod assumed = Reservation.of(profile, state, pod, node.name()).pod();
        Decision decision = new Decision(
                pod,
                Decision.Outcome.SCHEDULED,
                node.name(),
                result.score(),
                "",
                Optional.empty(),
                result.evaluated(),
                result.feasible(),
                queued.attempts());
        cache.assume(assumed);
        PluginStatus answer = PluginStatus.error("", "not bound");
        try {
            endNomination(pod, node.name());
            // Reported before the binding begins, because the binding may end before begin() returns.
            listeners.on(listener -> listener.decided(decision));
            answer = binding.begin(new AssumedPod(queued, profile, state, assumed, decision));
        } finally {
            if (!answer.isSuccess()) {
                cache.forget(assumed);
            }
        }
        if (answer.isSuccess()) {
            return decision;
        }
        String why = answer.status().message();
        listeners.on(listener -> listener.bindingFailed(pod, node.name(), why));
        if (answer.isRejection()) {
            Diagnosis diagnosis = Diagnosis.ofChosenNode(answer);
            return failures.unschedulable(
                    queued,
                    diagnosis.message(""),
                    result.evaluated(),
                    SchedulingFailures.rejectors(diagnosis),
                    Nomination.clear());
        }
        return failures.error(queued, answer, result.evaluated());
    }
}
