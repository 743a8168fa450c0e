// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Extender;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.Trial;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.runtime.MonotonicClock;

/**
 * A handle for plugins that run without a scheduler. It provides the nodes, one namespace and the objects of a
 * workload; nothing changes and nothing is written.
 */
final class IdleHandle implements Handle, Handle.Cluster, Handle.Preemption {
    private static final Namespace DEFAULT =
            new Namespace(ObjectMeta.named("default").build());

    private final Snapshot snapshot;
    private final List<ClusterObject> objects;
    private final FeatureGates features;
    private final RandomGenerator random = new Random(0);
    private final ClusterWriter writer = idle(ClusterWriter.class);

    private IdleHandle(Snapshot snapshot, List<ClusterObject> objects, FeatureGates features) {
        this.snapshot = snapshot;
        this.objects = objects;
        this.features = features;
    }

    static Handle of(Snapshot snapshot, List<ClusterObject> objects, FeatureGates features) {
        return new IdleHandle(snapshot, objects, features);
    }

    // Plugins may store writers in fields.
    private static <T> T idle(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                IdleHandle.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer(method)));
    }

    private static Object answer(Method method) {
        if (method.getReturnType().isInterface()) {
            return idle(method.getReturnType());
        }
        throw new UnsupportedOperationException(method.getName());
    }

    @Override
    public String profileName() {
        return "default-scheduler";
    }

    @Override
    public Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public Cluster cluster() {
        return this;
    }

    @Override
    public Queue queue() {
        return idle(Queue.class);
    }

    @Override
    public Binding binding() {
        return idle(Binding.class);
    }

    @Override
    public Preemption preemption() {
        return this;
    }

    @Override
    public Tasks tasks() {
        return idle(Tasks.class);
    }

    @Override
    public <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind) {
        return lister(kind, objects);
    }

    @Override
    public <T extends ClusterObject> void onChange(ObjectKind<T> kind, Consumer<ObjectChange<T>> listener) {}

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        throw new UnsupportedOperationException("read");
    }

    @Override
    public ClusterWriter writer() {
        return writer;
    }

    @Override
    public <T> T shared(StateKey<T> key, Supplier<T> make) {
        return make.get();
    }

    @Override
    public FeatureGates featureGates() {
        return features;
    }

    @Override
    public InstantSource clock() {
        return InstantSource.system();
    }

    @Override
    public InstantSource monotonicClock() {
        return MonotonicClock.system();
    }

    @Override
    public PluginLogger logger() {
        throw new UnsupportedOperationException("logger");
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public List<Pod> nominatedPods(String nodeName) {
        return List.of();
    }

    @Override
    public Map<String, List<Pod>> nominatedPods() {
        return Map.of();
    }

    @Override
    public Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node) {
        throw new UnsupportedOperationException("filterWithNominatedPods");
    }

    @Override
    public PodGroupLister podGroups() {
        return PodGroupLister.NONE;
    }

    @Override
    public List<Extender> extenders() {
        return List.of();
    }

    @Override
    public Trial trial(CycleState state, Pod pod) {
        throw new UnsupportedOperationException("trial");
    }

    private static <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind, List<ClusterObject> objects) {
        List<T> all = kind.equals(ObjectKind.NAMESPACE)
                ? List.of(kind.type().cast(DEFAULT))
                : objects.stream()
                        .filter(kind.type()::isInstance)
                        .map(kind.type()::cast)
                        .toList();
        Map<String, T> byName = new HashMap<>();
        all.forEach(object -> byName.put(object.namespace() + "/" + object.name(), object));
        return new ObjectLister<>() {
            @Override
            public Optional<T> get(String namespace, String name) {
                return Optional.ofNullable(byName.get(namespace + "/" + name));
            }

            @Override
            public Collection<T> all() {
                return all;
            }

            @Override
            public Collection<T> in(String namespace) {
                return List.of();
            }
        };
    }
}
