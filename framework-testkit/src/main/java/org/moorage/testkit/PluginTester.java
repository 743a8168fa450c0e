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
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;

/**
 * A plugin and the cluster that it is tested in. What the plugin is asked, it is asked by the real scheduler, in the order of
 * the scheduling cycle; its profile has no other plugin unless the test names some.
 *
 * <pre>{@code
 * PluginTester.of(NodePorts.FACTORY)
 *         .cluster(Nodes.named("n1").build(), Nodes.named("n2").build(), Pods.named("web").hostPort(80).on("n1").build())
 *         .pod(Pods.named("p").hostPort(80).build())
 *         .rejects("n1", Status.unschedulable("node(s) didn't have free ports for the requested pod ports"))
 *         .accepts("n2");
 * }</pre>
 *
 * <p>Immutable: each method returns another tester, so that one can be a constant and serve a whole table of cases.
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

    /** A plugin and its arguments, before a scheduler makes the one with the other. */
    record PluginUnderTest<A extends PluginArgs>(PluginFactory<A> factory, A args) {
        PluginUnderTest {
            Objects.requireNonNull(factory, "factory");
            Objects.requireNonNull(args, "args");
        }
    }

    /** A tester of a plugin with these arguments, in an empty cluster. */
    public static <A extends PluginArgs> PluginTester of(PluginFactory<A> factory, A args) {
        return new PluginTester(
                new PluginUnderTest<>(factory, args), List.of(), FeatureGates.DEFAULTS, List.of(), Set.of());
    }

    /**
     * A tester of a plugin with its default arguments, in an empty cluster.
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
     * The cluster with these objects too: nodes, pods, claims, classes and so on.
     *
     * @throws IllegalArgumentException if two objects of a kind have one name, or a pod is on a node that is not there
     */
    public PluginTester cluster(ClusterObject... added) {
        return cluster(Arrays.asList(added));
    }

    /**
     * The cluster with these objects too.
     *
     * @throws IllegalArgumentException if two objects of a kind have one name, or a pod is on a node that is not there
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

    /** With these features on and off, in place of the defaults. */
    public PluginTester features(FeatureGates gates) {
        return new PluginTester(plugin, objects, Objects.requireNonNull(gates, "gates"), others, disabled);
    }

    /** With further plugins in the profile, after the one under test, with their default arguments. */
    public PluginTester beside(PluginFactory<?>... factories) {
        List<PluginFactory<?>> all = new ArrayList<>(others);
        all.addAll(Arrays.asList(factories));
        return new PluginTester(plugin, objects, features, all, disabled);
    }

    /** With the plugin under test disabled at an extension point, as a configuration may have it. */
    public PluginTester disabledAt(ExtensionPoint point) {
        Set<ExtensionPoint> all = new HashSet<>(disabled);
        all.add(point);
        return new PluginTester(plugin, objects, features, others, all);
    }

    /** The plugin's name. */
    String plugin() {
        return plugin.factory().name();
    }

    /** What the plugin says about a pod. The pod need not be in the cluster. */
    public PodTester pod(Pod pod) {
        return new PodTester(this, Objects.requireNonNull(pod, "pod"));
    }

    /**
     * What the plugin says about a group, and what becomes of it. The group and these pods of it need not be in the cluster; pods of it that
     * wait there are scheduled with it. Of groups within a composite one any can be asked about, and the others are in the cluster.
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
     * Checks which events the plugin waits for.
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
     * A scheduler that goes on between the questions, for what a plugin remembers from one pod to the next, and for changes of
     * the cluster in between.
     *
     * @throws IllegalArgumentException if the plugin's arguments are not valid
     */
    public TestScheduler start() {
        return new TestScheduler(plugin, objects, features, others, disabled, null);
    }

    /**
     * As {@link #start}, with a clock that only {@link TestScheduler#advance} moves: for permits that run out, backoffs, and tasks that a plugin
     * has done later.
     *
     * @param now what the clock shows first
     */
    public TestScheduler startAt(Instant now) {
        return new TestScheduler(plugin, objects, features, others, disabled, Objects.requireNonNull(now, "now"));
    }
}
