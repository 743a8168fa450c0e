// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.QueueingHintMap.QueueingHintFunction;

/**
 * Determines the effect of an event on unschedulable pods and groups: calls the hints of the plugins that rejected a
 * pod and registered the event.
 *
 * <p>It does not change pods. Guarded by the queue's lock, except {@link #isRegistered} and {@link #hints}.
 */
final class QueueingHints {
    private static final Log LOG = Log.of(QueueingHints.class);

    private final QueueingHintMap hints;
    private final boolean narrows;
    private final Predicate<QueuedEntity> backsOff;
    private final Listeners listeners;

    /** An unschedulable pod or group that an event requeues. */
    record Moved(QueuedEntity queued, QueueingStrategy strategy) {}

    /**
     * Creates the hints of the plugins of all profiles.
     *
     * @param narrows whether plugins' pre-queueing hints are called, which select the pods that an event concerns
     * @param backsOff returns whether a pod or group is still in backoff
     */
    QueueingHints(
            Map<String, QueueProfile> profiles,
            boolean narrows,
            Predicate<QueuedEntity> backsOff,
            Listeners listeners) {
        hints = new QueueingHintMap(profiles);
        this.narrows = narrows;
        this.backsOff = backsOff;
        this.listeners = listeners;
    }

    /** Returns the labels of the events that each of these plugins waits for. */
    Map<String, List<String>> eventsByPlugin(String profile, RejectorPlugins rejectors) {
        return hints.eventsByPlugin(profile, rejectors);
    }

    /** Returns whether a plugin of any profile registered the event. May be called from any thread. */
    boolean isRegistered(ClusterEvent event) {
        return hints.isRegistered(event);
    }

    /**
     * Returns the unschedulable pods that the event requeues, bucket by bucket, in insertion order, and then the
     * groups.
     *
     * @param only selects the pods that it may make schedulable
     */
    List<Moved> toMove(UnschedulablePods pods, QueueEvent event, Predicate<Pod> only) {
        List<Moved> moved = new ArrayList<>();
        Candidates candidates = candidates(event);
        for (UnschedulablePods.BucketKey bucket : pods.buckets()) {
            addPodsToMove(pods, bucket, event, candidates, only, moved);
        }
        for (QueuedPodGroupInfo group : pods.podGroups()) {
            if (isLetOn(group.pod().spec().schedulerName(), group.gatedBy(), event)
                    && group.hasMember(pod -> candidates.contains(pod) && only.test(pod))) {
                QueueingStrategy strategy = strategy(group, event, candidates);
                if (strategy != QueueingStrategy.QUEUE_SKIP) {
                    moved.add(new Moved(group, strategy));
                }
            }
        }
        return moved;
    }

    private Candidates candidates(QueueEvent event) {
        ObjectChange<Object> change = event.change();
        return !narrows || change == null || event.event().isWildcard()
                ? Candidates.ALL
                : Candidates.of(hints.of(event.event()), event.event(), change, listeners);
    }

    /**
     * Returns the pods that an event may concern, as predicates by plugin, for the plugins whose pre-queueing hint
     * selects some.
     */
    Map<String, Predicate<Pod>> candidates(ClusterEvent event, ObjectChange<Object> change) {
        return candidates(new QueueEvent(event, change)).byPlugin();
    }

    private void addPodsToMove(
            UnschedulablePods pods,
            UnschedulablePods.BucketKey bucket,
            QueueEvent event,
            Candidates candidates,
            Predicate<Pod> only,
            List<Moved> moved) {
        if (!isLetOn(bucket.profile(), bucket.gatedBy(), event)) {
            return;
        }
        List<QueueingHintFunction> functions = hints.of(bucket.profile(), bucket.rejectors(), event.event());
        if (functions.isEmpty() && !event.event().isWildcard()) {
            return;
        }
        for (QueuedPodInfo queued : pods.of(bucket)) {
            if (candidates.contains(queued.pod()) && only.test(queued.pod())) {
                QueueingStrategy strategy = strategy(queued, event, functions, candidates);
                if (strategy != QueueingStrategy.QUEUE_SKIP) {
                    moved.add(new Moved(queued, strategy));
                }
            }
        }
    }

    // A gated entity is only checked for events that the gating plugin registered and for wildcard events, after which
    // the plugin may no longer gate it.
    private boolean isLetOn(String profile, String gatedBy, QueueEvent event) {
        return gatedBy.isEmpty() || event.event().isWildcard() || hints.isRegisteredBy(profile, gatedBy, event.event());
    }

    /** Returns the most urgent strategy of all these events. */
    QueueingStrategy strategy(QueuedPodInfo queued, List<QueueEvent> events) {
        QueueingStrategy highest = QueueingStrategy.QUEUE_SKIP;
        for (QueueEvent event : events) {
            QueueingStrategy strategy = strategy(queued, event);
            highest = strategy.compareTo(highest) > 0 ? strategy : highest;
            if (isHighestFor(queued, highest)) {
                break;
            }
        }
        return highest;
    }

    QueueingStrategy strategy(QueuedEntity queued, QueueEvent event) {
        return queued instanceof QueuedPodGroupInfo group
                ? strategy(group, event, Candidates.ALL)
                : strategy((QueuedPodInfo) queued, event);
    }

    // Returns the most urgent strategy of its pods. A pod that no plugin rejected may be retried after any event.
    private QueueingStrategy strategy(QueuedPodGroupInfo group, QueueEvent event, Candidates candidates) {
        // Without backoff, QUEUE_AFTER_BACKOFF makes the group active immediately.
        QueueingStrategy enough =
                backsOff.test(group) ? QueueingStrategy.QUEUE_IMMEDIATELY : QueueingStrategy.QUEUE_AFTER_BACKOFF;
        QueueingStrategy highest = QueueingStrategy.QUEUE_SKIP;
        String profile = "";
        RejectorPlugins rejectors = RejectorPlugins.NONE;
        List<QueueingHintFunction> functions = List.of();
        for (Collection<QueuedPodInfo> members : group.membersByPodGroup()) {
            for (QueuedPodInfo member : members) {
                QueueingStrategy strategy = QueueingStrategy.QUEUE_AFTER_BACKOFF;
                if (!member.rejectors().isEmpty()) {
                    // Most members have the same rejectors and profile, so the lookup is only repeated when these
                    // change.
                    if (!member.rejectors().equals(rejectors)
                            || !member.pod().spec().schedulerName().equals(profile)) {
                        profile = member.pod().spec().schedulerName();
                        rejectors = member.rejectors();
                        functions = hints.of(profile, rejectors, event.event());
                    }
                    strategy = strategy(member, event, functions, candidates);
                }
                highest = strategy.compareTo(highest) > 0 ? strategy : highest;
                if (highest.compareTo(enough) >= 0) {
                    return highest;
                }
            }
        }
        return highest;
    }

    QueueingStrategy strategy(QueuedPodInfo queued, QueueEvent event) {
        return strategy(
                queued,
                event,
                hints.of(queued.pod().spec().schedulerName(), queued.rejectors(), event.event()),
                Candidates.ALL);
    }

    private QueueingStrategy strategy(
            QueuedPodInfo queued, QueueEvent event, List<QueueingHintFunction> functions, Candidates candidates) {
        if (!isMeantFor(event, queued)) {
            return QueueingStrategy.QUEUE_SKIP;
        }
        ObjectChange<Object> change = event.change();
        if (change == null || event.event().isWildcard()) {
            return QueueingStrategy.QUEUE_AFTER_BACKOFF;
        }
        QueueingStrategy highest = QueueingStrategy.QUEUE_SKIP;
        for (int i = 0; i < functions.size() && !isHighestFor(queued, highest); i++) {
            QueueingHintFunction function = functions.get(i);
            if (candidates.isAsked(function.plugin(), queued.pod())
                    && hint(function, queued.pod(), event.event(), change) == Hint.QUEUE) {
                highest = queued.rejectors().pending().contains(function.plugin())
                        ? QueueingStrategy.QUEUE_IMMEDIATELY
                        : QueueingStrategy.QUEUE_AFTER_BACKOFF;
            }
        }
        return highest;
    }

    // A wildcard event may apply to a single pod, and a pod's own update applies only to that pod.
    private static boolean isMeantFor(QueueEvent event, QueuedPodInfo queued) {
        boolean isForAll =
                !event.event().isWildcard() && !event.event().resource().equals(EventResource.TARGET_POD);
        ObjectChange<Object> change = event.change();
        if (isForAll || change == null || change.after().isEmpty()) {
            return true;
        }
        return change.latest() instanceof Pod pod && queued.isSamePod(pod);
    }

    // Only a plugin that rejected a pod with Pending can skip its backoff.
    private static boolean isHighestFor(QueuedPodInfo queued, QueueingStrategy strategy) {
        return strategy == QueueingStrategy.QUEUE_IMMEDIATELY
                || strategy == QueueingStrategy.QUEUE_AFTER_BACKOFF
                        && queued.rejectors().pending().isEmpty();
    }

    /**
     * Returns the hints of the plugins of the pod's profile that registered the event. May be called from any thread.
     */
    List<PluginHint> hints(Pod pod, ClusterEvent event, ObjectChange<Object> change) {
        List<PluginHint> answers = new ArrayList<>();
        for (QueueingHintFunction function : hints.of(pod.spec().schedulerName(), event)) {
            answers.add(new PluginHint(function.plugin(), event, hint(function, pod, event, change)));
        }
        return answers;
    }

    private Hint hint(QueueingHintFunction function, Pod pod, ClusterEvent event, ObjectChange<Object> change) {
        long start = System.nanoTime();
        String answer = "Error";
        try {
            Hint hint = function.hint().hint(pod, change);
            answer = hint == Hint.QUEUE ? "Queue" : "QueueSkip";
            return hint;
        } catch (PluginFailure failure) {
            log(failure, function, event).addKeyValue("pod", pod).log("Queueing hint failed; the pod is tried again");
            return Hint.QUEUE;
        } finally {
            String result = answer;
            listeners.measure(
                    listener -> listener.hintRan(function.plugin(), event.label(), result, System.nanoTime() - start));
        }
    }

    private static Log.Line log(PluginFailure failure, QueueingHintFunction function, ClusterEvent event) {
        return LOG.atError()
                .setCause(failure)
                .addKeyValue("plugin", function.plugin())
                .addKeyValue("event", event);
    }

    /**
     * The pods that an event may make schedulable, as selected by pre-queueing hints of plugins.
     *
     * @param byPlugin the selection of each plugin; if empty, all pods are candidates
     */
    private record Candidates(Map<String, Predicate<Pod>> byPlugin) {
        private static final Candidates ALL = new Candidates(Map.of());

        /**
         * Returns the candidates of an event: all pods if a pre-queueing hint selects all or fails, or if there is none.
         * If a predicate fails for a pod, the pod is a candidate.
         */
        static Candidates of(
                List<QueueingHintFunction> functions,
                ClusterEvent event,
                ObjectChange<Object> change,
                Listeners listeners) {
            Map<String, Predicate<Pod>> byPlugin = new HashMap<>();
            for (QueueingHintFunction function : functions) {
                if (function.preHint().isEmpty()) {
                    continue;
                }
                Optional<Predicate<Pod>> candidates;
                try {
                    candidates = function.preHint().get().candidates(change);
                } catch (PluginFailure failure) {
                    log(failure, function, event).log("PreQueueingHintFn failed, falling back to evaluate all pods");
                    return ALL;
                }
                listeners.measure(listener -> listener.preHintRan(function.plugin(), candidates.isPresent()));
                if (candidates.isEmpty()) {
                    return ALL;
                }
                byPlugin.merge(function.plugin(), orFailing(candidates.get(), function, event), Predicate::or);
            }
            return new Candidates(byPlugin);
        }

        private static Predicate<Pod> orFailing(
                Predicate<Pod> candidates, QueueingHintFunction function, ClusterEvent event) {
            return pod -> {
                try {
                    return candidates.test(pod);
                } catch (PluginFailure failure) {
                    log(failure, function, event)
                            .addKeyValue("pod", pod)
                            .log("PreQueueingHintFn failed for a pod; the plugin is asked about it");
                    return true;
                }
            };
        }

        /** Returns whether the hint of any plugin must be called for the pod. */
        boolean contains(Pod pod) {
            if (byPlugin.isEmpty()) {
                return true;
            }
            for (Predicate<Pod> candidates : byPlugin.values()) {
                if (candidates.test(pod)) {
                    return true;
                }
            }
            return false;
        }

        /** Returns whether the hint of this plugin must be called for a pod that is a candidate. */
        boolean isAsked(String plugin, Pod pod) {
            Predicate<Pod> candidates = byPlugin.get(plugin);
            return candidates == null || candidates.test(pod);
        }
    }
}
