// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.event.PreQueueingHint;
import org.moorage.api.event.QueueingHint;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.queue.QueueState.In;
import org.moorage.runtime.metrics.SchedulerListener;

/** A queue with a manual clock and configurable plugins. */
final class QueueFixture implements InstantSource {
    static final ClusterEvent NODE_ADD = WellKnownEvents.NODE_ADD;
    static final ClusterEvent NODE_LABEL = on(EventResource.NODE, ActionType.UPDATE_NODE_LABEL);
    static final ClusterEvent POD_LABEL = on(EventResource.POD, ActionType.UPDATE_POD_LABEL);
    static final Pod POD = pod("pod");
    static final Pod OTHER = pod("other");
    static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
    static final Node NODE =
            Node.of(ObjectMeta.named("node").uid("node").build()).build();
    static final ObjectChange<Node> NODE_ADDED = ObjectChange.added(NODE);

    final List<String> asked = new ArrayList<>();
    final Map<String, Pod> cluster = new HashMap<>();
    final Nominator nominator =
            new Nominator((namespace, name) -> Optional.ofNullable(cluster.get(namespace + "/" + name)));

    private final List<PluginCaller> gates = new ArrayList<>();
    private final List<String> preEnqueueFailures = new ArrayList<>();
    private final List<PluginEvents> events = new ArrayList<>();
    private QueueSettings settings = QueueSettings.DEFAULTS;
    private QueueSortPlugin sort = new ByPriority();
    private Listeners listeners = Listeners.NONE;
    private Instant now = START;

    @Override
    public Instant instant() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    void passSeconds(long seconds) {
        pass(Duration.ofSeconds(seconds));
    }

    QueueFixture settings(QueueSettings value) {
        settings = value;
        return this;
    }

    QueueFixture listener(SchedulerListener value) {
        listeners = new Listeners(List.of(value));
        return this;
    }

    /** A QueueSort plugin in place of that of priorities. */
    QueueFixture sort(BiPredicate<QueuedPod, QueuedPod> less) {
        sort = new QueueSortPlugin() {
            @Override
            public String name() {
                return "Sort";
            }

            @Override
            public boolean less(QueuedPod first, QueuedPod second) {
                return less.test(first, second);
            }
        };
        return this;
    }

    /** A plugin that registers an event, with that answer to it. It may be given several. */
    QueueFixture plugin(String name, ClusterEvent event, Hint hint) {
        return plugin(name, event, pod -> hint);
    }

    QueueFixture plugin(String name, ClusterEvent event, Function<Pod, Hint> hint) {
        return registers(name, EventRegistration.of(event, Object.class, answer(name, hint)));
    }

    /** A plugin that says beforehand which pods an event is about, and would have each of them tried again. */
    QueueFixture narrowing(String name, ClusterEvent event, PreQueueingHint<Object> preHint) {
        return registers(
                name,
                EventRegistration.of(event, Object.class, answer(name, pod -> Hint.QUEUE))
                        .narrowedBy(Object.class, PluginCaller.of(() -> name).checked(preHint)));
    }

    private QueueingHint<Object> answer(String name, Function<Pod, Hint> hint) {
        return PluginCaller.of(() -> name).checked((Pod pod, ObjectChange<Object> change) -> {
            asked.add(name);
            return hint.apply(pod);
        });
    }

    private QueueFixture registers(String name, EventRegistration registration) {
        events.add(new PluginEvents(name, List.of(registration)));
        return this;
    }

    /** A PreEnqueue plugin that lets pods in while the condition holds. */
    QueueFixture gate(String name, BooleanSupplier open) {
        return gate(name, pod -> open.getAsBoolean() ? Status.success() : Status.unresolvable("closed"));
    }

    QueueFixture gate(String name, Function<Pod, Status> answer) {
        gates.add(PluginCaller.of(new PreEnqueuePlugin() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Status preEnqueue(Pod pod) {
                asked.add(name);
                return answer.apply(pod);
            }
        }));
        return this;
    }

    /** With pod groups, and groups of these. */
    QueueFixture grouped() {
        return settings(withGates(
                FeatureGates.GENERIC_WORKLOAD,
                FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
                FeatureGates.COMPOSITE_POD_GROUP));
    }

    /** The usual settings, with these gates on. */
    static QueueSettings withGates(String... gates) {
        Map<String, Boolean> on = new HashMap<>();
        for (String gate : gates) {
            on.put(gate, true);
        }
        return new QueueSettings(
                QueueSettings.DEFAULTS.initialBackoff(),
                QueueSettings.DEFAULTS.maxBackoff(),
                QueueSettings.DEFAULTS.maxInUnschedulable(),
                FeatureGates.of(on),
                0);
    }

    SchedulingQueue queue() {
        QueueProfile profile = new QueueProfile(gates, events);
        return new SchedulingQueue(
                PluginCaller.of(sort),
                Map.of(PodSpec.DEFAULT_SCHEDULER, profile, "other", new QueueProfile(List.of(), List.of())),
                settings,
                this,
                nominator,
                listeners,
                (pod, failure) -> preEnqueueFailures.add(pod.key() + ": " + failure.getMessage()));
    }

    /** Returns the reported failures of PreEnqueue plugins. */
    List<String> preEnqueueFailures() {
        return List.copyOf(preEnqueueFailures);
    }

    /** The first moment at which a pod's backoff is over; empty if no pod backs off. */
    Optional<Instant> nextBackoffCompletion(SchedulingQueue queue) {
        return QueueState.nextBackoffCompletion(queue, settings);
    }

    /** The order of PrioritySort. */
    static final class ByPriority implements QueueSortPlugin {
        @Override
        public String name() {
            return "ByPriority";
        }

        @Override
        public boolean less(QueuedPod first, QueuedPod second) {
            int firstPriority = first.priority();
            int secondPriority = second.priority();
            return firstPriority != secondPriority
                    ? firstPriority > secondPriority
                    : first.timestamp().isBefore(second.timestamp());
        }
    }

    static Pod pod(String name) {
        return pod(name, PodSpec.builder().build());
    }

    static Pod pod(String name, int priority) {
        return pod(name, PodSpec.builder().priority(priority).build());
    }

    static Pod pod(String name, PodSpec spec) {
        return Pod.of(ObjectMeta.named(name).namespace("ns").uid("uid-" + name).build(), spec);
    }

    /** A member of a pod group. */
    static Pod member(String name, String podGroup) {
        return pod(name, PodSpec.builder().podGroupName(podGroup).build());
    }

    static PodGroup podGroup(String name) {
        return podGroup(name, "");
    }

    static PodGroup podGroup(String name, String parent) {
        return PodGroup.of(groupMeta(name)).parentName(parent).build();
    }

    static CompositePodGroup composite(String name, String parent) {
        return CompositePodGroup.of(groupMeta(name)).parentName(parent).build();
    }

    private static ObjectMeta groupMeta(String name) {
        return ObjectMeta.named(name)
                .namespace("ns")
                .uid("uid-group-" + name)
                .creationTimestamp(START)
                .build();
    }

    static Pod labelled(Pod pod, String value) {
        return pod.withMetadata(
                pod.metadata().toBuilder().labels(Map.of("label", value)).build());
    }

    static ClusterEvent on(EventResource resource, ActionType... actions) {
        return ClusterEvent.of(resource, Set.of(actions));
    }

    static RejectorPlugins by(String... plugins) {
        return new RejectorPlugins(Set.of(plugins), Set.of());
    }

    static RejectorPlugins pending(String... plugins) {
        return new RejectorPlugins(Set.of(), Set.of(plugins));
    }

    /** Pops what is a pod on its own. */
    static QueuedPodInfo popPod(SchedulingQueue queue) {
        return (QueuedPodInfo) queue.poll().orElseThrow();
    }

    /** Pops what is a group. */
    static QueuedPodGroupInfo popGroup(SchedulingQueue queue) {
        return (QueuedPodGroupInfo) queue.poll().orElseThrow();
    }

    /** Adds the pod, pops it once and rejects it. */
    static void reject(SchedulingQueue queue, Pod pod, RejectorPlugins rejectors) {
        queue.add(pod);
        queue.addUnschedulable(popPod(queue), pod, rejectors);
    }

    static In placeOf(SchedulingQueue queue, Pod pod) {
        return QueueState.of(queue, pod.key()).orElseThrow().in();
    }

    /** The names of the pods in the order in which they are popped. */
    static List<String> drain(SchedulingQueue queue) {
        List<String> names = new ArrayList<>();
        for (Optional<QueuedEntity> entry = queue.poll(); entry.isPresent(); entry = queue.poll()) {
            names.add(entry.get().pod().name());
            queue.done((QueuedPodInfo) entry.get());
        }
        return names;
    }
}
