// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.api.plugin.SignPlugin;
import org.moorage.runtime.metrics.SchedulerMetrics;

/** A profile: its plugins at each extension point, and what they are run with. Immutable. */
public final class Profile {
    private final String name;
    private final OptionalInt percentageOfNodesToScore;
    private final Map<ExtensionPoint, List<Plugin>> plugins;
    private final Map<String, Integer> weights;
    private final List<NodeFilter> filters;
    private final List<SignPlugin> signPlugins;
    private final Supplier<Map<String, List<Pod>>> nominatedPods;
    private final SchedulerMetrics metrics;

    /**
     * A profile.
     *
     * @param name what pods name as their scheduler
     * @param percentageOfNodesToScore the profile's own percentage
     * @param plugins the plugins of each point, in order
     * @param weights the weight of each Score plugin, by name
     * @param nominatedPods the pods that are nominated now, by the name of the node; what it gave does not change
     * @param metrics is told how the plugins of the scheduling cycle are run
     */
    public Profile(
            String name,
            OptionalInt percentageOfNodesToScore,
            Map<ExtensionPoint, List<Plugin>> plugins,
            Map<String, Integer> weights,
            Supplier<Map<String, List<Pod>>> nominatedPods,
            SchedulerMetrics metrics) {
        this.name = name;
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.plugins = checked(plugins);
        this.weights = Map.copyOf(weights);
        filters = at(ExtensionPoint.FILTER, FilterPlugin.class).stream()
                .map(NodeFilter::new)
                .toList();
        Set<SignPlugin> signing = Collections.newSetFromMap(new IdentityHashMap<>());
        List<SignPlugin> inOrder = new ArrayList<>();
        for (ExtensionPoint point : List.of(ExtensionPoint.FILTER, ExtensionPoint.SCORE)) {
            for (Plugin plugin : plugins.getOrDefault(point, List.of())) {
                if (plugin instanceof SignPlugin sign && signing.add(sign)) {
                    inOrder.add(sign);
                }
            }
        }
        signPlugins = List.copyOf(inOrder);
        this.nominatedPods = nominatedPods;
        this.metrics = metrics;
    }

    private static Map<ExtensionPoint, List<Plugin>> checked(Map<ExtensionPoint, List<Plugin>> plugins) {
        Map<ExtensionPoint, List<Plugin>> checked = new EnumMap<>(ExtensionPoint.class);
        plugins.forEach((point, atPoint) -> {
            for (Plugin plugin : atPoint) {
                if (!point.type().isInstance(plugin)) {
                    throw new IllegalArgumentException("plugin \"" + plugin.name() + "\" at " + point.field()
                            + " (expected: a " + point.type().getSimpleName() + ")");
                }
            }
            checked.put(point, List.copyOf(atPoint));
        });
        return checked;
    }

    /** What pods name as their scheduler. */
    public String name() {
        return name;
    }

    /** Is told how the profile's plugins are run. */
    public SchedulerMetrics metrics() {
        return metrics;
    }

    /**
     * The plugins of a point, in order.
     *
     * @param type the point's interface
     */
    @SuppressWarnings(
            "unchecked") // the constructor has seen that all are of the point's type, and the list is immutable
    public <P> List<P> at(ExtensionPoint point, Class<P> type) {
        if (type != point.type()) {
            throw new IllegalArgumentException("type: " + type + " (expected: " + point.type() + ")");
        }
        return (List<P>) plugins.getOrDefault(point, List.of());
    }

    /**
     * The same profile with some of its plugins, at some extension points; at the others nobody is called. For a question about a
     * part of a cycle.
     *
     * @param names the names of the plugins
     */
    public Profile only(Set<ExtensionPoint> points, Set<String> names) {
        Map<ExtensionPoint, List<Plugin>> kept = new HashMap<>();
        for (ExtensionPoint point : points) {
            List<Plugin> atPoint = plugins.getOrDefault(point, List.of());
            kept.put(
                    point,
                    atPoint.stream()
                            .filter(plugin -> names.contains(plugin.name()))
                            .toList());
        }
        return new Profile(name, percentageOfNodesToScore, kept, weights, nominatedPods, metrics);
    }

    List<PreFilterPlugin> preFilters() {
        return at(ExtensionPoint.PRE_FILTER, PreFilterPlugin.class);
    }

    List<NodeFilter> filters() {
        return filters;
    }

    /** How much the scores of a plugin count. */
    long weight(ScorePlugin plugin) {
        return weights.getOrDefault(plugin.name(), 1);
    }

    boolean scores() {
        return !at(ExtensionPoint.SCORE, ScorePlugin.class).isEmpty();
    }

    /** The Filter and Score plugins whose answers for pods that are alike are used again. */
    List<SignPlugin> signPlugins() {
        return signPlugins;
    }

    OptionalInt percentageOfNodesToScore() {
        return percentageOfNodesToScore;
    }

    /** The pods that are nominated now, by the name of the node. What it gave does not change. */
    Map<String, List<Pod>> nominatedPods() {
        return nominatedPods.get();
    }
}
