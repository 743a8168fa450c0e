// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.plugin.Thrown;
import org.moorage.objects.GoDuration;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cluster.PodLookup;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.PodAttempt;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.loop.SchedulerThreads;
import org.moorage.runtime.internal.loop.TimedCycles;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * Runs parts of scheduling cycles with the plugins of a profile, for another scheduler that continues with the results:
 * PreFilter before Filter, PreFilter and PreScore before Score and NormalizeScore, as in a whole cycle and by the same
 * code. Parts run one at a time, as plugins expect, each with a time limit. Safe for use by several threads.
 */
public final class PartialCycles {
    private static final Log LOG = Log.of(PartialCycles.class);

    private final Profile profile;
    private final TimedCycles cycles;
    private final SchedulerCache cache;
    private final PodLookup pods;
    private final SchedulerThreads threads;
    private final Duration limit;

    PartialCycles(
            Profile profile,
            TimedCycles cycles,
            SchedulerCache cache,
            PodLookup pods,
            SchedulerThreads threads,
            Duration limit) {
        this.profile = profile;
        this.cycles = cycles;
        this.cache = cache;
        this.pods = pods;
        this.threads = threads;
        this.limit = limit;
    }

    /** Thrown if a part of a cycle fails or exceeds its time limit; the message gives the reason in one line. */
    public static final class FailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FailedException(String message, Throwable cause) {
            super(message, cause);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /**
     * The results of the plugins for a pod and some nodes. Valid only inside the {@code reading} function of {@link
     * #ask}.
     */
    public static final class Answers {
        private final Map<String, NodeInfo> nodeByName;
        private final Diagnosis diagnosis;
        private final Map<String, NodeScores> scoresByPlugin;

        private Answers(Map<String, NodeInfo> nodeByName, PodAttempt attempt) {
            this.nodeByName = nodeByName;
            diagnosis = attempt.diagnosis();
            scoresByPlugin = attempt.scoresByPlugin();
        }

        /** Returns whether a node of that name exists among the requested ones. */
        public boolean knows(String node) {
            return nodeByName.containsKey(node);
        }

        /** Returns the rejection of a node by PreFilter or Filter; empty if it is feasible. */
        public Optional<PluginStatus> rejection(String node) {
            return Optional.ofNullable(nodeByName.get(node)).map(diagnosis::whyNot);
        }

        /** Returns the normalized scores of a plugin for the feasible nodes; empty if it did not score. */
        public Optional<NodeScores> scores(String plugin) {
            return Optional.ofNullable(scoresByPlugin.get(plugin));
        }
    }

    /** Returns the names of the plugins at an extension point, in order. */
    public List<String> plugins(ExtensionPoint point) {
        Objects.requireNonNull(point, "point");
        return profile.at(point).stream().map(PluginCaller::name).toList();
    }

    /** Returns the same, restricted to some plugins and extension points; no plugin is called at the others. */
    public PartialCycles only(Set<ExtensionPoint> points, Set<String> plugins) {
        Objects.requireNonNull(points, "points");
        Objects.requireNonNull(plugins, "plugins");
        return new PartialCycles(profile.only(points, plugins), cycles, cache, pods, threads, limit);
    }

    /**
     * Runs a cycle up to the scores, over the scheduler's cluster. Without Filter plugins all nodes that PreFilter
     * allows are scored.
     *
     * @param nodes the names of the requested nodes
     * @param reading converts the results, within the limit
     * @param left runs when no part of the cycle runs any more, which may be long after the limit, or never
     * @throws FailedException if a plugin fails, or it is not done within the limit
     */
    public <T> T ask(Pod pod, List<String> nodes, Function<Answers, T> reading, Runnable left) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(nodes, "nodes");
        Objects.requireNonNull(reading, "reading");
        Objects.requireNonNull(left, "left");
        return ask(pod, nodes, snapshot -> snapshot.update(cache), reading, left);
    }

    /** As {@link #ask}, over the given nodes, without pods, in place of the scheduler's cluster. */
    public <T> T askOf(Pod pod, List<Node> nodes, Function<Answers, T> reading, Runnable left) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(nodes, "nodes");
        Objects.requireNonNull(reading, "reading");
        Objects.requireNonNull(left, "left");
        return ask(pod, nodes.stream().map(Node::name).toList(), snapshot -> snapshot.putNodes(nodes), reading, left);
    }

    private <T> T ask(
            Pod pod, List<String> names, Consumer<TrialSnapshot> update, Function<Answers, T> reading, Runnable left) {
        Pod seen = pods.seen(pod);
        return run(
                update,
                algorithm -> {
                    Map<String, NodeInfo> nodes = new LinkedHashMap<>();
                    names.forEach(name -> algorithm.snapshot().node(name).ifPresent(node -> nodes.put(name, node)));
                    PodAttempt attempt = algorithm.explain(profile, seen, List.copyOf(nodes.values()));
                    return reading.apply(new Answers(nodes, attempt));
                },
                left);
    }

    /**
     * Returns the nodes of the scheduler's cluster on which a pod would fit after the removal of victims, as in
     * preemption.
     *
     * @param victimUids the UIDs of the victims, by node; UIDs that are not on the node are ignored, since these pods
     *     are gone or not known yet
     * @param left as in {@link #ask}
     * @return the names of the nodes where it would fit
     * @throws FailedException if a plugin fails, or it is not done within the limit
     */
    public Set<String> fitsWithout(Pod pod, Map<String, List<String>> victimUids, Runnable left) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(victimUids, "victimUids");
        Objects.requireNonNull(left, "left");
        Pod seen = pods.seen(pod);
        return run(
                snapshot -> snapshot.update(cache),
                algorithm -> algorithm.fitsWithout(profile, seen, victims(victimUids, algorithm.snapshot())),
                left);
    }

    private static Map<String, List<Pod>> victims(Map<String, List<String>> uidsByNode, TrialSnapshot snapshot) {
        Map<String, List<Pod>> victims = new LinkedHashMap<>();
        uidsByNode.forEach((name, listed) -> {
            Set<String> uids = new HashSet<>(listed);
            List<Pod> found = new ArrayList<>();
            snapshot.node(name).ifPresent(node -> {
                for (Pod pod : node.pods()) {
                    if (uids.contains(pod.uid())) {
                        found.add(pod);
                    }
                }
            });
            victims.put(name, found);
        });
        return victims;
    }

    private <T> T run(Consumer<TrialSnapshot> update, Function<SchedulingAlgorithm, T> part, Runnable left) {
        try {
            return cycles.run(
                    algorithm -> {
                        try {
                            update.accept(algorithm.snapshot());
                            return part.apply(algorithm);
                        } finally {
                            // The state of a question is released after it, so none of it may escape.
                            algorithm.snapshot().revertTo(0);
                        }
                    },
                    left);
        } catch (TimeoutException overdue) {
            throw new FailedException(String.valueOf(overdue.getMessage()), overdue);
        } catch (PluginFailure failure) {
            throw failed(failure);
        }
    }

    /**
     * Binds a pod of the scheduler's cluster with the profile's Bind plugins, outside a cycle.
     *
     * @param uid the UID of the pod; empty for any pod of that name
     * @return the status of the plugin that binds it; Skip if none does; an error if there is no such pod
     * @throws FailedException if a plugin fails, or it is not done within the limit; the pod may still get bound
     */
    public Status bind(String namespace, String name, String uid, String nodeName) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(nodeName, "nodeName");
        try {
            return CompletableFuture.supplyAsync(() -> bound(namespace, name, uid, nodeName), threads.waitingBindings())
                    .get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof PluginFailure failure) {
                throw failed(failure);
            }
            if (cause instanceof ClusterException refused) {
                throw new FailedException(String.valueOf(refused.getMessage()), refused);
            }
            throw new IllegalStateException(Thrown.text(cause == null ? failed : cause), failed);
        } catch (TimeoutException overdue) {
            throw new FailedException(
                    "binding did not end within " + GoDuration.format(limit) + "; it may still happen", overdue);
        } catch (RejectedExecutionException stopping) {
            throw new FailedException("the extender stops", stopping);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FailedException("interrupted; the binding may still happen", e);
        }
    }

    private Status bound(String namespace, String name, String uid, String nodeName) {
        Optional<Pod> known = pods.find(namespace, name, uid);
        if (known.isEmpty()) {
            return Status.error("pod " + namespace + "/" + name + " not found");
        }
        Pod pod = known.get();
        if (!uid.isEmpty() && !pod.uid().equals(uid)) {
            return Status.error("pod " + pod.key() + " has the UID " + pod.uid() + " (expected: " + uid + ")");
        }
        for (PluginCaller plugin : profile.at(ExtensionPoint.BIND)) {
            Status status = plugin.bind(PointRun.UNMEASURED, new CycleState(), pod, nodeName);
            if (!status.isSkip()) {
                return status;
            }
        }
        return Status.skip();
    }

    private FailedException failed(PluginFailure failure) {
        profile.failed(failure);
        LOG.atError().addKeyValue("plugin", failure.plugin()).setCause(failure).log("Plugin failed");
        return new FailedException(Thrown.text(failure), failure);
    }

    /** Returns the reason why no part of a cycle can run any more, since one does not end; empty if parts can run. */
    public Optional<String> failure() {
        return cycles.failure();
    }
}
