// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.objects.ObjectDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.queue.NodeEvents;
import org.moorage.runtime.internal.queue.ObjectEvents;
import org.moorage.runtime.internal.queue.PluginEvents;
import org.moorage.runtime.internal.queue.PodEvents;
import org.moorage.runtime.internal.queue.WellKnownEvents;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;

/** Checks what a change of the cluster is taken for, and which plugins would have a rejected pod tried again. */
final class HintCheck implements VectorCheck {
    private static final String NOT_ASKED = "not asked";

    private final PluginRegistry registry;

    HintCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Finding> check(ObjectNode vector) {
        Findings findings = new Findings();
        FeatureGates features = Conformance.features(vector);
        FeatureView view = new FeatureView(features);
        RecordedCluster recorded = new RecordedCluster(features);
        ObjectChange<ClusterObject> change = change(vector, recorded, view);
        List<ClusterEvent> events = events(change, kind(vector));
        JsonNode expect = vector.path("expect");
        findings.compare("events", TreeText.names(TreeText.texts(expect.path("events"))), labels(events));
        if (!(view.of(recorded.object(vector.path("pod"))) instanceof Pod pod)) {
            throw new IllegalArgumentException("pod: " + vector.path("pod") + " (expected: a pod)");
        }
        LoadedConfig loaded = ConfigLoader.defaults(registry, features);
        Map<String, Hint> hints = hints(loaded, recorded.of(vector.path("objects")), pod, change, events);
        Set<String> plugins = new TreeSet<>(hints.keySet());
        expect.path("hints").fieldNames().forEachRemaining(plugins::add);
        for (String plugin : plugins) {
            Hint hint = hints.get(plugin);
            String expected = expect.path("hints").path(plugin).asText(NOT_ASKED);
            String got = hint == null ? NOT_ASKED : hint.toString();
            if (loaded.missingPlugins().contains(plugin)) {
                findings.open("hint " + plugin, plugin, expected, got);
            } else {
                findings.compare("hint " + plugin, expected, got);
            }
        }
        return findings.all();
    }

    private static ObjectChange<ClusterObject> change(ObjectNode vector, RecordedCluster recorded, FeatureView view) {
        JsonNode before = vector.path("old");
        JsonNode after = vector.path("new");
        if (before.isMissingNode()) {
            return ObjectChange.added(view.of(recorded.object(after)));
        }
        return after.isMissingNode()
                ? ObjectChange.deleted(view.of(recorded.object(before)))
                : ObjectChange.updated(view.of(recorded.object(before)), view.of(recorded.object(after)));
    }

    private static ObjectKind<?> kind(ObjectNode vector) {
        return ObjectDecoder.kindOf((ObjectNode) vector.path(vector.has("new") ? "new" : "old"));
    }

    private static List<ClusterEvent> events(ObjectChange<ClusterObject> change, ObjectKind<?> kind) {
        ClusterObject latest = change.latest();
        boolean isUpdate = change.before().isPresent() && change.after().isPresent();
        if (latest instanceof Node) {
            ObjectChange<Node> nodes = change.as(Node.class);
            return isUpdate
                    ? NodeEvents.of(nodes.before().orElseThrow(), nodes.after().orElseThrow())
                    : List.of(change.before().isEmpty() ? WellKnownEvents.NODE_ADD : WellKnownEvents.NODE_DELETE);
        }
        if (latest instanceof Pod pod) {
            ObjectChange<Pod> pods = change.as(Pod.class);
            return isUpdate
                    ? PodEvents.of(pods.before().orElseThrow(), pods.after().orElseThrow())
                    : List.of(podEvent(pod, change.before().isEmpty()));
        }
        return List.of(ObjectEvents.of(kind, change));
    }

    private static ClusterEvent podEvent(Pod pod, boolean isNew) {
        if (pod.isBound()) {
            return isNew ? WellKnownEvents.ASSIGNED_POD_ADD : WellKnownEvents.ASSIGNED_POD_DELETE;
        }
        return isNew ? WellKnownEvents.UNSCHEDULED_POD_ADD : WellKnownEvents.UNSCHEDULED_POD_DELETE;
    }

    private static String labels(List<ClusterEvent> events) {
        List<String> labels = new ArrayList<>();
        for (ClusterEvent event : events) {
            labels.add(event.label());
        }
        return TreeText.names(labels);
    }

    private Map<String, Hint> hints(
            LoadedConfig loaded,
            InMemoryCluster cluster,
            Pod pod,
            ObjectChange<ClusterObject> change,
            List<ClusterEvent> events) {
        List<Plugin> plugins = new ArrayList<>();
        Map<String, Hint> hints = new TreeMap<>();
        try (Scheduler scheduler = Scheduler.builder(loaded, noting(plugins), cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            for (Plugin plugin : plugins) {
                for (EventRegistration registration : registrations(plugin)) {
                    for (ClusterEvent event : events) {
                        if (registration.event().covers(event)) {
                            hints.merge(plugin.name(), hint(registration, pod, change), HintCheck::either);
                        }
                    }
                }
            }
        }
        return hints;
    }

    // The recorded answers are the plugins' own, so the registration for taints that the queue adds must stay out.
    private static List<EventRegistration> registrations(Plugin plugin) {
        List<EventRegistration> all = PluginEvents.of(plugin).registrations();
        return plugin instanceof EnqueueExtensions extensions && !all.isEmpty() ? extensions.eventsToRegister() : all;
    }

    private static Hint hint(EventRegistration registration, Pod pod, ObjectChange<ClusterObject> change) {
        try {
            return registration.hint().hint(pod, change.as(Object.class));
        } catch (RuntimeException failed) {
            // As in the queue: better once too often than never.
            return Hint.QUEUE;
        }
    }

    private static Hint either(Hint first, Hint second) {
        return Hint.queueIf(first == Hint.QUEUE || second == Hint.QUEUE);
    }

    private PluginRegistry noting(List<Plugin> made) {
        List<PluginFactory<?>> factories = new ArrayList<>();
        for (PluginFactory<?> factory : registry.factories()) {
            factories.add(new NotingFactory<>(factory, made));
        }
        return PluginRegistry.of(factories);
    }

    /** Keeps the plugins that it makes, with what they were given by the scheduler. */
    private record NotingFactory<A extends PluginArgs>(PluginFactory<A> factory, Collection<Plugin> made)
            implements PluginFactory<A> {
        @Override
        public String name() {
            return factory.name();
        }

        @Override
        public Class<A> argsType() {
            return factory.argsType();
        }

        @Override
        public Plugin create(A args, Handle handle) {
            Plugin plugin = factory.create(args, handle);
            made.add(plugin);
            return plugin;
        }

        @Override
        public boolean needsPodJson() {
            return factory.needsPodJson();
        }
    }
}
