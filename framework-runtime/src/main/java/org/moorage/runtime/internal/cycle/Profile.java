// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/** A profile: its plugins at each extension point, and their settings. Immutable. */
public final class Profile {
    private final String name;
    private final OptionalInt percentageOfNodesToScore;
    private final Map<ExtensionPoint, List<PluginCaller>> plugins;
    private final Map<ExtensionPoint, Map<String, Integer>> weights;
    private final List<PluginCaller> signing;
    private final Supplier<Map<String, List<Pod>>> nominatedPods;
    private final Listeners listeners;

    /**
     * Creates a profile.
     *
     * @param name the scheduler name in the specs of its pods
     * @param percentageOfNodesToScore the profile's own percentage
     * @param plugins the plugins of each point, in order
     * @param weights the weights of the plugins that score, by point and name; missing weights are 1
     * @param nominatedPods returns the currently nominated pods by node name, as a map that does not change
     * @param listeners receive the measurements of the plugins of the scheduling cycle
     */
    public Profile(
            String name,
            OptionalInt percentageOfNodesToScore,
            Map<ExtensionPoint, List<PluginCaller>> plugins,
            Map<ExtensionPoint, Map<String, Integer>> weights,
            Supplier<Map<String, List<Pod>>> nominatedPods,
            Listeners listeners) {
        this.name = name;
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.plugins = checked(plugins);
        this.weights = Map.copyOf(weights);
        Set<PluginCaller> inOrder = new LinkedHashSet<>();
        for (ExtensionPoint point : List.of(ExtensionPoint.FILTER, ExtensionPoint.SCORE)) {
            for (PluginCaller plugin : at(point)) {
                if (plugin.signs()) {
                    inOrder.add(plugin);
                }
            }
        }
        signing = List.copyOf(inOrder);
        this.nominatedPods = nominatedPods;
        this.listeners = listeners;
    }

    private static Map<ExtensionPoint, List<PluginCaller>> checked(Map<ExtensionPoint, List<PluginCaller>> plugins) {
        Map<ExtensionPoint, List<PluginCaller>> checked = new EnumMap<>(ExtensionPoint.class);
        plugins.forEach((point, atPoint) -> {
            for (PluginCaller plugin : atPoint) {
                if (!point.type().isInstance(plugin.plugin())) {
                    throw new IllegalArgumentException("plugin \"" + plugin.name() + "\" at " + point.field()
                            + " (expected: a " + point.type().getSimpleName() + ")");
                }
            }
            checked.put(point, List.copyOf(atPoint));
        });
        return checked;
    }

    /** Returns the scheduler name in the specs of its pods. */
    public String name() {
        return name;
    }

    public PointRun begin(PluginMethod point) {
        return new PointRun(listeners, name, point);
    }

    /** Reports a failed call of a plugin that ends an attempt in an error. */
    public void failed(PluginFailure failure) {
        listeners.measure(listener ->
                listener.pluginFailed(failure.plugin(), failure.method().toString()));
    }

    /** Returns the listeners of the profile's attempts. */
    public Listeners listeners() {
        return listeners;
    }

    public List<PluginCaller> at(ExtensionPoint point) {
        return plugins.getOrDefault(point, List.of());
    }

    /** Returns the plugins of a point, in order, except those with some names. */
    PluginCaller[] without(ExtensionPoint point, Set<String> skipped) {
        List<PluginCaller> active = new ArrayList<>(at(point));
        active.removeIf(plugin -> skipped.contains(plugin.name()));
        return active.toArray(PluginCaller[]::new);
    }

    /**
     * Returns the profile with only some of its plugins, at some extension points, for a question about a part of a
     * cycle. No plugins are called at other points.
     *
     * @param names the names of the plugins
     */
    public Profile only(Set<ExtensionPoint> points, Set<String> names) {
        Map<ExtensionPoint, List<PluginCaller>> kept = new HashMap<>();
        for (ExtensionPoint point : points) {
            List<PluginCaller> atPoint = plugins.getOrDefault(point, List.of());
            kept.put(
                    point,
                    atPoint.stream()
                            .filter(plugin -> names.contains(plugin.name()))
                            .toList());
        }
        return new Profile(name, percentageOfNodesToScore, kept, weights, nominatedPods, listeners);
    }

    /** Returns the profile with plugins that are not measured. */
    public Profile unmeasured() {
        return new Profile(name, percentageOfNodesToScore, plugins, weights, nominatedPods, Listeners.NONE);
    }

    /** Returns the weight of a plugin's scores at a point. */
    long weight(ExtensionPoint point, PluginCaller plugin) {
        return weights.getOrDefault(point, Map.of()).getOrDefault(plugin.name(), 1);
    }

    boolean scores() {
        return !at(ExtensionPoint.SCORE).isEmpty();
    }

    /** Returns the Filter and Score plugins whose results are reused for equivalent pods. */
    List<PluginCaller> signing() {
        return signing;
    }

    OptionalInt percentageOfNodesToScore() {
        return percentageOfNodesToScore;
    }

    /** Returns the currently nominated pods by node name. The map does not change. */
    Map<String, List<Pod>> nominatedPods() {
        return nominatedPods.get();
    }
}
