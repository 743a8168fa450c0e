// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.Field;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ExtensionPoint;

/**
 * A plugin and the cluster that it is tested in. The real scheduler calls the plugin, in the order of the scheduling
 * cycle. Its profile has no other plugins unless the test adds some.
 *
 * <pre>{@code
 * PluginTester.of(NodePorts.FACTORY)
 *         .cluster(Nodes.named("n1").build(), Nodes.named("n2").build(), Pods.named("web").hostPort(80).on("n1").build())
 *         .pod(Pods.named("p").hostPort(80).build())
 *         .rejects("n1", Status.unschedulable("node(s) didn't have free ports for the requested pod ports"))
 *         .accepts("n2");
 * }</pre>
 *
 * <p>Immutable: each method returns another tester, so that one tester can be a constant for a table of cases.
 */
public final class PluginTester {
    private final PluginUnderTest<?> plugin;
    private final List<ClusterObject> objects;
    private final FeatureGates features;
    private final List<PluginFactory<?>> others;
    private final Set<ExtensionPoint> disabled;

    private PluginTester(
            PluginUnderTest<?> plugin,
            List<ClusterObject> objects,
            FeatureGates features,
            List<PluginFactory<?>> others,
            Set<ExtensionPoint> disabled) {
        this.plugin = plugin;
        this.objects = List.copyOf(objects);
        this.features = features;
        this.others = List.copyOf(others);
        this.disabled = Set.copyOf(disabled);
    }

    /** A plugin's factory and arguments, from which each scheduler creates the plugin. */
    record PluginUnderTest<A extends PluginArgs>(PluginFactory<A> factory, A args) {
        PluginUnderTest {
            Objects.requireNonNull(factory, "factory");
            Objects.requireNonNull(args, "args");
        }
    }

    /** Returns a tester of a plugin with these arguments, in an empty cluster. */
    public static <A extends PluginArgs> PluginTester of(PluginFactory<A> factory, A args) {
        return new PluginTester(
                new PluginUnderTest<>(factory, args), List.of(), FeatureGates.DEFAULTS, List.of(), Set.of());
    }

    /**
     * Returns a tester of a plugin with its default arguments, in an empty cluster.
     *
     * @throws IllegalArgumentException if the type of the arguments has no {@code DEFAULTS}
     */
    public static <A extends PluginArgs> PluginTester of(PluginFactory<A> factory) {
        return of(factory, defaults(factory.argsType()));
    }

    static <A extends PluginArgs> A defaults(Class<A> type) {
        try {
            Field field = type.getField("DEFAULTS");
            return type.cast(Objects.requireNonNull(field.get(null), "DEFAULTS"));
        } catch (NoSuchFieldException | IllegalAccessException missing) {
            throw new IllegalArgumentException(
                    "arguments: " + type.getName() + " (expected: a record with a public DEFAULTS)", missing);
        }
    }

    /**
     * Adds objects to the cluster: nodes, pods, claims, classes and so on.
     *
     * @throws IllegalArgumentException if two objects of a kind have the same name, or a pod's node does not exist
     */
    public PluginTester cluster(ClusterObject... added) {
        return cluster(Arrays.asList(added));
    }

    /**
     * Adds objects to the cluster.
     *
     * @throws IllegalArgumentException if two objects of a kind have the same name, or a pod's node does not exist
     */
    public PluginTester cluster(Collection<? extends ClusterObject> added) {
        List<ClusterObject> all = new ArrayList<>(objects);
        all.addAll(added);
        check(all);
        return new PluginTester(plugin, all, features, others, disabled);
    }

    private static void check(List<ClusterObject> all) {
        Set<String> nodes = new HashSet<>();
        Set<String> seen = new HashSet<>();
        for (ClusterObject object : all) {
            String name = ObjectKind.of(object).kind() + " \"" + object.key() + "\"";
            if (!seen.add(name)) {
                throw new IllegalArgumentException(name + ": twice (expected: one object of a name)");
            }
            if (object instanceof Node) {
                nodes.add(object.name());
            }
        }
        for (ClusterObject object : all) {
            if (object instanceof Pod pod && pod.isBound() && !nodes.contains(pod.nodeName())) {
                throw new IllegalArgumentException("Pod \"" + pod.key() + "\": on node \"" + pod.nodeName()
                        + "\" (expected: one of the nodes " + nodes + ")");
            }
        }
    }

    /** Sets the feature gates, which replace the defaults. */
    public PluginTester features(FeatureGates gates) {
        return new PluginTester(plugin, objects, Objects.requireNonNull(gates, "gates"), others, disabled);
    }

    /** Adds plugins to the profile, after the one under test, with their default arguments. */
    public PluginTester beside(PluginFactory<?>... factories) {
        List<PluginFactory<?>> all = new ArrayList<>(others);
        all.addAll(Arrays.asList(factories));
        return new PluginTester(plugin, objects, features, all, disabled);
    }

    /** Disables the plugin under test at an extension point, as a configuration can. */
    public PluginTester disabledAt(ExtensionPoint point) {
        Set<ExtensionPoint> all = new HashSet<>(disabled);
        all.add(point);
        return new PluginTester(plugin, objects, features, others, all);
    }

    /** Returns the plugin's name. */
    String plugin() {
        return plugin.factory().name();
    }

    /** Returns a tester of the plugin's results for a pod. The pod does not have to be in the cluster. */
    public PodTester pod(Pod pod) {
        return new PodTester(this, Objects.requireNonNull(pod, "pod"));
    }

    /**
     * Returns a tester of the plugin's results for a group, and of the result of scheduling the group. The group and
     * the given members do not have to be in the cluster; its pending pods in the cluster are scheduled with it. The
     * group may be any group within a composite group if the other groups are in the cluster.
     *
     * @throws IllegalArgumentException if the feature GenericWorkload is off
     */
    public GroupTester group(SchedulingGroup group, Pod... members) {
        return new GroupTester(group, () -> {
            try (TestScheduler once = start()) {
                return once.attempt(group, List.of(members), Optional.empty());
            }
        });
    }

    /**
     * Checks the events that the plugin registers.
     *
     * @param labels the events' labels, for example {@code "NodeAdd|UpdateNodeTaint"}, in the order of registration
     * @return this
     */
    public PluginTester registers(String... labels) {
        try (TestScheduler scheduler = start()) {
            scheduler.checkRegistrations(List.of(labels));
        }
        return this;
    }

    /**
     * Starts a scheduler that keeps running between checks, for plugins that keep state from one pod to the next, and
     * for changes of the cluster in between.
     *
     * @throws IllegalArgumentException if the plugin's arguments are not valid
     */
    public TestScheduler start() {
        return new TestScheduler(plugin, objects, features, others, disabled, null);
    }

    /**
     * Starts a scheduler as {@link #start} does, with a clock that only {@link TestScheduler#advance} moves: for permit
     * timeouts, backoffs, and delayed tasks of a plugin.
     *
     * @param now the clock's initial time
     */
    public TestScheduler startAt(Instant now) {
        return new TestScheduler(plugin, objects, features, others, disabled, Objects.requireNonNull(now, "now"));
    }
}
