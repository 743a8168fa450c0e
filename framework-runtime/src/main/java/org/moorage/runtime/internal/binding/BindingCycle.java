// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.moorage.api.CycleState;
import org.moorage.api.Rejection;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.BindPlugin;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.PermitPlugin;
import org.moorage.api.plugin.PermitResult;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.PostBindPlugin;
import org.moorage.api.plugin.PreBindPlugin;
import org.moorage.api.plugin.PreBindPreFlightResult;
import org.moorage.api.plugin.ReservePlugin;
import org.moorage.runtime.internal.cycle.PluginFailure;
import org.moorage.runtime.plugin.ExtensionPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a pod from its chosen node to being bound. Reserve and Permit run on the scheduling thread; what follows runs on
 * other threads, and no thread is held while a pod waits for its permit.
 */
public final class BindingCycle {
    private static final Logger LOG = LoggerFactory.getLogger(BindingCycle.class);

    private final WaitingPods waitingPods;
    private final PodsInPreBind podsInPreBind;
    private final ClusterWriter writer;
    private final Executor executor;
    private final boolean announcesNodes;
    private final Outcome outcome;

    /** What the scheduler does about the end of a binding cycle. */
    public interface Outcome {
        /** The pod is past the point where events could still change anything about it. */
        void permitted(AssumedPod candidate);

        /** The pod is bound. */
        void bound(AssumedPod candidate);

        /** The permit that the pod waited for was refused. Reservations have been given back. */
        void refused(AssumedPod candidate, Rejection why);

        /** The pod is not bound for another reason. Reservations have been given back. */
        void failed(AssumedPod candidate, Rejection why);
    }

    /** A binding cycle for pods of any profile. */
    public BindingCycle(
            WaitingPods waitingPods,
            PodsInPreBind podsInPreBind,
            ClusterWriter writer,
            Executor executor,
            FeatureGates featureGates,
            Outcome outcome) {
        this.waitingPods = waitingPods;
        this.podsInPreBind = podsInPreBind;
        announcesNodes = featureGates.isEnabled(FeatureGates.NOMINATED_NODE_NAME_FOR_EXPECTATION);
        this.writer = writer;
        this.executor = executor;
        this.outcome = outcome;
    }

    /**
     * Runs Reserve and Permit, and hands the pod over to be bound.
     *
     * @return success, or who rejected the node or failed; reservations have been given back then
     */
    public Rejection begin(AssumedPod candidate) {
        Rejection reserved = reserve(candidate);
        if (!reserved.status().isSuccess()) {
            unreserve(candidate);
            return reserved;
        }
        Map<String, Duration> waits = new LinkedHashMap<>();
        Rejection permitted = permit(candidate, waits);
        if (!permitted.status().isSuccess()) {
            unreserve(candidate);
            return permitted;
        }
        CompletableFuture<Rejection> verdict = waits.isEmpty()
                ? CompletableFuture.completedFuture(permitted)
                : waitingPods.add(candidate.pod(), waits);
        executor.execute(() -> guarded(candidate, () -> prepare(candidate, verdict, !waits.isEmpty())));
        return permitted;
    }

    // A pod must leave the binding cycle one way or the other, whatever goes wrong.
    private void guarded(AssumedPod candidate, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException thrown) {
            fail(candidate, new Rejection("", Status.error("binding: " + PluginFailure.text(thrown))));
        }
    }

    private static Rejection reserve(AssumedPod candidate) {
        for (ReservePlugin plugin : candidate.profile().at(ExtensionPoint.RESERVE, ReservePlugin.class)) {
            Status status;
            try {
                status = plugin.reserve(candidate.state(), candidate.pod(), candidate.nodeName());
            } catch (RuntimeException thrown) {
                return failure("running Reserve plugin", plugin, thrown);
            }
            if (!status.isSuccess()) {
                return rejection("running Reserve plugin", plugin, status);
            }
        }
        return new Rejection("", Status.success());
    }

    private static Rejection permit(AssumedPod candidate, Map<String, Duration> waits) {
        for (PermitPlugin plugin : candidate.profile().at(ExtensionPoint.PERMIT, PermitPlugin.class)) {
            PermitResult result;
            try {
                result = plugin.permit(candidate.state(), candidate.pod(), candidate.nodeName());
            } catch (RuntimeException thrown) {
                return failure("running Permit plugin", plugin, thrown);
            }
            if (result.status().isRejection()) {
                return new Rejection(plugin.name(), result.status());
            }
            result.timeout().ifPresent(timeout -> waits.put(plugin.name(), timeout));
        }
        return new Rejection("", Status.success());
    }

    private void prepare(AssumedPod candidate, CompletableFuture<Rejection> verdict, boolean waits) {
        List<Work> work = new ArrayList<>();
        for (PreBindPlugin plugin : candidate.profile().at(ExtensionPoint.PRE_BIND, PreBindPlugin.class)) {
            if (!announcesNodes) {
                // Without a pre-flight every plugin is called, and none beside another.
                work.add(new Work(plugin, PreBindPreFlightResult.run()));
                continue;
            }
            try {
                work.add(new Work(
                        plugin, plugin.preBindPreFlight(candidate.state(), candidate.pod(), candidate.nodeName())));
            } catch (RuntimeException thrown) {
                waitingPods.remove(candidate.pod().uid());
                fail(candidate, failure("running PreBindPreFlight", plugin, thrown));
                return;
            }
        }
        boolean works = !announcesNodes || work.stream().anyMatch(item -> !item.preFlight.isSkip());
        if (announcesNodes
                && (works || waits)
                && !candidate.pod().status().nominatedNodeName().equals(candidate.nodeName())) {
            expectNode(candidate);
        }
        // Runs at once, on this thread, if there is nothing to wait for.
        CompletableFuture<Rejection> ignored = verdict.whenComplete((permission, thrown) -> {
            Runnable step = () -> guarded(candidate, () -> bind(candidate, work, works, permission));
            if (waits) {
                executor.execute(step);
            } else {
                step.run();
            }
        });
    }

    // Tells other components where the pod is about to go while that takes its time.
    private void expectNode(AssumedPod candidate) {
        try {
            writer.patchStatus(candidate.pod(), Optional.empty(), Nomination.to(candidate.nodeName()));
        } catch (RuntimeException thrown) {
            LOG.atError()
                    .addKeyValue("pod", candidate.pod().key())
                    .addKeyValue("node", candidate.nodeName())
                    .setCause(thrown)
                    .log("Failed to update the nominated node name");
        }
    }

    private void bind(AssumedPod candidate, List<Work> work, boolean works, Rejection permission) {
        if (!permission.status().isSuccess()) {
            if (permission.status().isRejection()) {
                unreserve(candidate);
                outcome.refused(candidate, permission);
            } else {
                fail(
                        candidate,
                        new Rejection(
                                permission.plugin(),
                                Status.error("waiting on permit for pod: "
                                        + permission.status().message())));
            }
            return;
        }
        outcome.permitted(candidate);
        PodsInPreBind.Attempt attempt = new PodsInPreBind.Attempt(candidate.pod());
        if (works) {
            podsInPreBind.add(attempt);
        }
        Rejection bound;
        try {
            bound = preBindAndBind(candidate, work, attempt);
        } finally {
            podsInPreBind.remove(attempt);
        }
        if (!bound.status().isSuccess()) {
            fail(candidate, bound);
            return;
        }
        writer.report(new PodEvent(
                candidate.pod(),
                Optional.empty(),
                PodEvent.NORMAL,
                "Scheduled",
                "Binding",
                "Successfully assigned " + candidate.pod().key() + " to " + candidate.nodeName()));
        for (PostBindPlugin plugin : candidate.profile().at(ExtensionPoint.POST_BIND, PostBindPlugin.class)) {
            try {
                plugin.postBind(candidate.state(), candidate.pod(), candidate.nodeName());
            } catch (RuntimeException thrown) {
                LOG.atError()
                        .addKeyValue("plugin", plugin.name())
                        .addKeyValue("pod", candidate.pod().key())
                        .setCause(thrown)
                        .log("PostBind plugin failed");
            }
        }
        outcome.bound(candidate);
    }

    private Rejection preBindAndBind(AssumedPod candidate, List<Work> work, PodsInPreBind.Attempt attempt) {
        Rejection prepared = preBind(candidate, work, attempt);
        if (!prepared.status().isSuccess()) {
            return prepared;
        }
        return attempt.getReady() ? bind(candidate) : calledBack(attempt);
    }

    private static Rejection calledBack(PodsInPreBind.Attempt attempt) {
        return new Rejection("", Status.error(attempt.cause().orElseThrow()));
    }

    private record Work(PreBindPlugin plugin, PreBindPreFlightResult preFlight) {}

    // Neighbours that may work together do; a plugin that works alone keeps those before and after it apart, even if it
    // has
    // nothing to do.
    private Rejection preBind(AssumedPod candidate, List<Work> work, PodsInPreBind.Attempt attempt) {
        int from = 0;
        while (from < work.size()) {
            if (attempt.cause().isPresent()) {
                return calledBack(attempt);
            }
            int to = from + 1;
            while (work.get(from).preFlight.allowsParallel()
                    && to < work.size()
                    && work.get(to).preFlight.allowsParallel()) {
                to++;
            }
            Rejection done = preBindGroup(candidate, work.subList(from, to));
            if (!done.status().isSuccess()) {
                return done;
            }
            from = to;
        }
        return new Rejection("", Status.success());
    }

    private Rejection preBindGroup(AssumedPod candidate, List<Work> group) {
        List<PreBindPlugin> plugins = new ArrayList<>();
        for (Work item : group) {
            if (!item.preFlight.isSkip()) {
                plugins.add(item.plugin);
            }
        }
        List<CompletableFuture<Rejection>> others = new ArrayList<>();
        for (int i = 1; i < plugins.size(); i++) {
            PreBindPlugin plugin = plugins.get(i);
            others.add(CompletableFuture.supplyAsync(() -> preBind(candidate, plugin), executor));
        }
        Rejection first = new Rejection("", Status.success());
        if (!plugins.isEmpty()) {
            first = preBind(candidate, plugins.get(0));
        }
        for (CompletableFuture<Rejection> other : others) {
            Rejection answer = join(other);
            if (first.status().isSuccess()) {
                first = answer;
            }
        }
        return first;
    }

    private static Rejection join(CompletableFuture<Rejection> future) {
        try {
            return future.join();
        } catch (CompletionException thrown) {
            return new Rejection("", Status.error("running PreBind plugins: " + thrown.getCause()));
        }
    }

    private static Rejection preBind(AssumedPod candidate, PreBindPlugin plugin) {
        try {
            Status status = plugin.preBind(candidate.state(), candidate.pod(), candidate.nodeName());
            return status.isSuccess() ? new Rejection("", status) : rejection("running PreBind plugin", plugin, status);
        } catch (RuntimeException thrown) {
            // Whatever a plugin was doing when its pod was called back, that is why it ended.
            Throwable reason = thrown;
            while (reason.getCause() != null && !(reason instanceof CancellationException)) {
                reason = reason.getCause();
            }
            return failure(
                    "running PreBind plugin", plugin, reason instanceof CancellationException called ? called : thrown);
        }
    }

    private static Rejection bind(AssumedPod candidate) {
        for (BindPlugin plugin : candidate.profile().at(ExtensionPoint.BIND, BindPlugin.class)) {
            Status status;
            try {
                status = plugin.bind(candidate.state(), candidate.pod(), candidate.nodeName());
            } catch (RuntimeException thrown) {
                return failure("running Bind plugin", plugin, thrown);
            }
            if (status.isSuccess()) {
                return new Rejection("", status);
            }
            if (!status.isSkip()) {
                return rejection("running Bind plugin", plugin, status);
            }
        }
        return new Rejection(
                "", Status.error("binding: no Bind plugin took the pod (expected: one that does not skip)"));
    }

    private void fail(AssumedPod candidate, Rejection why) {
        unreserve(candidate);
        outcome.failed(candidate, why);
    }

    private static void unreserve(AssumedPod candidate) {
        List<ReservePlugin> plugins = candidate.profile().at(ExtensionPoint.RESERVE, ReservePlugin.class);
        CycleState state = candidate.state();
        Pod pod = candidate.pod();
        for (int i = plugins.size() - 1; i >= 0; i--) {
            try {
                plugins.get(i).unreserve(state, pod, candidate.nodeName());
            } catch (RuntimeException thrown) {
                LOG.atError()
                        .addKeyValue("plugin", plugins.get(i).name())
                        .addKeyValue("pod", pod.key())
                        .setCause(thrown)
                        .log("Unreserve plugin failed");
            }
        }
    }

    private static Rejection rejection(String point, Plugin plugin, Status status) {
        return status.isRejection()
                ? new Rejection(plugin.name(), status)
                : new Rejection(
                        plugin.name(), Status.error(point + " \"" + plugin.name() + "\": answered " + status.code()));
    }

    private static Rejection failure(String point, Plugin plugin, RuntimeException thrown) {
        return new Rejection(
                plugin.name(), Status.error(point + " \"" + plugin.name() + "\": " + PluginFailure.text(thrown)));
    }
}
