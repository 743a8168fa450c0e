// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.extender.ExtenderException;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * Binds an assumed pod to its node. Reserve and Permit run on the scheduling thread; the later steps run on other
 * threads, and no thread is blocked while a pod waits for its permit.
 */
public final class BindingCycle {
    private static final Log LOG = Log.of(BindingCycle.class);

    private final WaitingPods waitingPods;
    private final PodsInPreBind podsInPreBind;
    private final ObjectLister<Pod> pods;
    private final ClusterWriter writer;
    private final Executor executor;
    private final Executor waitingExecutor;
    private final boolean hasPreFlight;
    private final Extenders extenders;
    private final UncertainBindings uncertainBindings;
    private final BindingResults results;

    /**
     * Creates a binding cycle for pods of any profile.
     *
     * @param executor runs steps that block only on the API server
     * @param waitingExecutor runs steps that may block on anything else
     */
    public BindingCycle(
            WaitingPods waitingPods,
            PodsInPreBind podsInPreBind,
            ObjectLister<Pod> pods,
            ClusterWriter writer,
            Executor executor,
            Executor waitingExecutor,
            FeatureGates featureGates,
            Extenders extenders,
            UncertainBindings uncertainBindings,
            BindingResults results) {
        this.waitingPods = waitingPods;
        this.podsInPreBind = podsInPreBind;
        this.pods = pods;
        hasPreFlight = featureGates.isEnabled(FeatureGates.NOMINATED_NODE_NAME_FOR_EXPECTATION);
        this.writer = writer;
        this.executor = executor;
        this.waitingExecutor = waitingExecutor;
        this.extenders = extenders;
        this.uncertainBindings = uncertainBindings;
        this.results = results;
    }

    /**
     * Runs Reserve and Permit, and binds the pod on another thread. If it does not return success, or throws an
     * exception, Unreserve has run and the pod will not be bound.
     *
     * @return success, or the rejection or failure of a plugin
     */
    public PluginStatus begin(AssumedPod pod) {
        PluginStatus answer = PluginStatus.error("", "not run");
        try {
            Map<String, Duration> timeouts = new LinkedHashMap<>();
            answer = reserveAndPermit(pod, timeouts);
            if (answer.isSuccess()) {
                CompletableFuture<PluginStatus> permission =
                        timeouts.isEmpty() ? null : timed(pod, waitForPermit(pod, timeouts));
                answer = PluginStatus.error("", "not run");
                executor.execute(() -> runStep(pod, () -> prepare(pod, permission)));
                answer = PluginStatus.SUCCESS;
            }
            return answer;
        } finally {
            if (!answer.isSuccess()) {
                waitingPods.remove(pod.pod().uid());
                pod.reservation().unreserve();
            }
        }
    }

    private static CompletableFuture<PluginStatus> timed(AssumedPod pod, CompletableFuture<PluginStatus> permission) {
        long start = System.nanoTime();
        return permission.whenComplete((answer, thrown) -> pod.profile()
                .listeners()
                .measure(listener -> listener.permitWaited(
                        answer == null ? Code.ERROR : answer.status().code(), System.nanoTime() - start)));
    }

    private static PluginStatus reserveAndPermit(AssumedPod pod, Map<String, Duration> timeouts) {
        try {
            Reservation reservation = pod.reservation();
            PluginStatus reserved = reservation.reserve();
            return reserved.isSuccess() ? reservation.permit(timeouts) : reserved;
        } catch (PluginFailure failure) {
            return error(pod, failure);
        }
    }

    private CompletableFuture<PluginStatus> waitForPermit(AssumedPod pod, Map<String, Duration> timeouts) {
        CompletableFuture<PluginStatus> permission = waitingPods.add(pod.pod(), timeouts);
        if (isGone(pod)) {
            waitingPods.remove(pod.pod().uid());
        }
        return permission;
    }

    // Checked after the pod was added to the waiting pods, since a deletion of the pod is applied only to pods that are
    // waiting.
    private boolean isGone(AssumedPod assumed) {
        Pod pod = assumed.pod();
        return pods.current(pod)
                .filter(known -> known.uid().equals(pod.uid())
                        && !known.isBound()
                        && !known.metadata().isDeleting()
                        && !known.status().isTerminal())
                .isEmpty();
    }

    /** A part of the binding of a pod. */
    private interface Step {
        /** Runs the part, and returns whether the pod is bound now. */
        boolean run();
    }

    // If a step throws an exception, the pod still leaves the binding cycle. The steps after the binding run outside,
    // so that no failure there counts as a failure to bind the pod.
    private void runStep(AssumedPod pod, Step step) {
        pod.profile().listeners().measure(listener -> listener.taskStarted("binding"));
        try {
            boolean isBound = false;
            try {
                isBound = step.run();
            } catch (Throwable thrown) {
                try {
                    fail(pod, PluginStatus.error("", "binding: " + Thrown.text(thrown)));
                } finally {
                    Thrown.rethrowIfFatal(thrown);
                }
            }
            if (isBound) {
                finish(pod);
            }
        } finally {
            pod.profile().listeners().measure(listener -> listener.taskEnded("binding"));
        }
    }

    private boolean prepare(AssumedPod pod, @Nullable CompletableFuture<PluginStatus> permission) {
        PreBindGroups groups;
        try (PointRun run = pod.profile().begin(PluginMethod.PRE_BIND_PRE_FLIGHT)) {
            groups = PreBindGroups.of(pod, hasPreFlight);
            run.end(groups.areEmpty() ? Code.SKIP : Code.SUCCESS);
        } catch (PluginFailure failure) {
            fail(pod, error(pod, failure));
            return false;
        }
        if (hasPreFlight
                && (!groups.areEmpty() || permission != null)
                && !pod.pod().status().nominatedNodeName().equals(pod.nodeName())) {
            nominate(pod);
        }
        boolean mayWait = mayWait(pod, groups);
        if (permission == null && !mayWait) {
            return bind(pod, groups, PluginStatus.SUCCESS);
        }
        if (permission == null) {
            continueOn(waitingExecutor, pod, groups, PluginStatus.SUCCESS);
        } else {
            // An exception there would be lost in a future that no code reads.
            CompletableFuture<PluginStatus> ignored = permission.whenComplete((answer, thrown) ->
                    runStep(pod, () -> continueOn(mayWait ? waitingExecutor : executor, pod, groups, answer)));
        }
        return false;
    }

    // Among the built-in plugins, only those with work in PreBind block on more than one request.
    private boolean mayWait(AssumedPod pod, PreBindGroups groups) {
        List<PluginCaller> binders = pod.profile().at(ExtensionPoint.BIND);
        return !groups.areEmpty()
                || binders.size() != 1
                || !binders.get(0).name().equals(DefaultPlugins.BINDER)
                || !pod.profile().at(ExtensionPoint.POST_BIND).isEmpty()
                || extenders.canBind(pod.pod());
    }

    private boolean continueOn(Executor threads, AssumedPod pod, PreBindGroups groups, PluginStatus permission) {
        try {
            threads.execute(() -> runStep(pod, () -> bind(pod, groups, permission)));
        } catch (RejectedExecutionException closed) {
            fail(pod, PluginStatus.error("", "binding: " + Thrown.text(closed)));
        }
        return false;
    }

    // Shows other components the node that the pod will be bound to, since binding takes a while.
    private void nominate(AssumedPod pod) {
        try {
            writer.patchStatus(pod.queued().pod(), Optional.empty(), Nomination.to(pod.nodeName()));
        } catch (ClusterException failed) {
            LOG.atError()
                    .addKeyValue("pod", pod.pod().key())
                    .addKeyValue("node", pod.nodeName())
                    .setCause(failed)
                    .log("Failed to update the nominated node name");
        }
    }

    private boolean bind(AssumedPod pod, PreBindGroups groups, PluginStatus permission) {
        if (permission.isRejection()) {
            unreserveThen(pod, () -> results.refused(pod, permission));
            return false;
        }
        if (!permission.isSuccess()) {
            fail(
                    pod,
                    PluginStatus.error(
                            permission.plugin(),
                            "waiting on permit for pod: " + permission.status().message()));
            return false;
        }
        results.permitted(pod);
        PodsInPreBind.BindingAttempt attempt = new PodsInPreBind.BindingAttempt(pod.pod());
        if (!groups.areEmpty()) {
            podsInPreBind.add(attempt);
            if (isGone(pod)) {
                attempt.cancel("the pod is gone or has a node");
            }
        }
        PluginStatus answer;
        try {
            try (PointRun run = pod.profile().begin(PluginMethod.PRE_BIND)) {
                answer = run.end(groups.run(pod, attempt, waitingExecutor));
            }
            if (answer.isSuccess() && !attempt.markPrebound()) {
                answer = attempt.cancelled();
            }
        } finally {
            podsInPreBind.remove(attempt);
        }
        if (answer.isSuccess()) {
            return bind(pod);
        }
        fail(pod, answer);
        return false;
    }

    private boolean bind(AssumedPod pod) {
        PluginStatus answer;
        boolean isNotBound;
        try {
            answer = extenders.bind(pod.pod(), pod.nodeName()) ? PluginStatus.SUCCESS : callBindPlugins(pod);
            isNotBound = answer.isRejection();
        } catch (ExtenderException failure) {
            answer = PluginStatus.error("", failure.getMessage());
            isNotBound = failure.isCertainlyNotDone();
        } catch (PluginFailure failure) {
            answer = error(pod, failure);
            isNotBound = isCertain(failure.getCause());
        }
        if (isNotBound) {
            fail(pod, answer);
        } else if (!answer.isSuccess()) {
            PluginStatus failure = answer;
            // Until the outcome is known, the pod stays assumed and keeps its reservations.
            uncertainBindings.find(pod.pod(), outcome -> runStep(pod, () -> settle(pod, failure, outcome)));
        }
        return answer.isSuccess();
    }

    // If the pod has changed, it may have been bound.
    private static boolean isCertain(@Nullable Throwable cause) {
        return cause instanceof ClusterException failed
                && switch (failed.outcome()) {
                    case NOT_SENT -> true;
                    case REFUSED -> !failed.isNotFound() && !failed.isConflict();
                    case UNKNOWN -> false;
                };
    }

    private boolean settle(AssumedPod pod, PluginStatus failure, UncertainBindings.BindingOutcome outcome) {
        switch (outcome) {
            case BOUND -> {}
            case NOT_BOUND -> fail(pod, failure);
            case GONE -> unreserveThen(pod, () -> results.dropped(pod));
        }
        return outcome == UncertainBindings.BindingOutcome.BOUND;
    }

    private static PluginStatus callBindPlugins(AssumedPod pod) {
        try (PointRun run = pod.profile().begin(PluginMethod.BIND)) {
            for (PluginCaller plugin : pod.profile().at(ExtensionPoint.BIND)) {
                Status status = plugin.bind(run, pod.state(), pod.pod(), pod.nodeName());
                if (!status.isSkip()) {
                    return run.end(new PluginStatus(plugin.name(), status));
                }
            }
            return run.end(
                    PluginStatus.error("", "binding: no Bind plugin took the pod (expected: one that does not skip)"));
        }
    }

    private void finish(AssumedPod pod) {
        afterBinding(
                pod,
                () -> writer.report(PodEvent.normal(
                        pod.pod(),
                        "Scheduled",
                        "Binding",
                        "Successfully assigned " + pod.pod().key() + " to " + pod.nodeName())));
        afterBinding(pod, () -> callPostBindPlugins(pod));
        afterBinding(pod, () -> results.bound(pod));
    }

    // The pod is bound; a failure here does not change that, and the next steps still run.
    private static void afterBinding(AssumedPod pod, Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            LOG.atError().addKeyValue("pod", pod.pod().key()).setCause(thrown).log("Failed after the pod was bound");
        }
    }

    private static void callPostBindPlugins(AssumedPod pod) {
        try (PointRun run = pod.profile().begin(PluginMethod.POST_BIND)) {
            for (PluginCaller plugin : pod.profile().at(ExtensionPoint.POST_BIND)) {
                try {
                    plugin.postBind(pod.state(), pod.pod(), pod.nodeName());
                } catch (PluginFailure failure) {
                    LOG.atError()
                            .addKeyValue("plugin", failure.plugin())
                            .addKeyValue("pod", pod.pod().key())
                            .setCause(failure)
                            .log("PostBind plugin failed");
                }
            }
            run.end(Code.SUCCESS);
        }
    }

    private void fail(AssumedPod pod, PluginStatus answer) {
        waitingPods.remove(pod.pod().uid());
        unreserveThen(pod, () -> results.failed(pod, answer));
    }

    private static void unreserveThen(AssumedPod pod, Runnable result) {
        try {
            pod.reservation().unreserve();
        } finally {
            result.run();
        }
    }

    static PluginStatus error(AssumedPod pod, PluginFailure failure) {
        pod.profile().failed(failure);
        return PluginStatus.error(failure.plugin(), failure.getMessage());
    }
}
