// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Prefers small nodes, or large ones, by a weighted average of their allocatable resources; the pods on a node play no
 * part. Same decisions as scheduler-plugins' NodeResourcesAllocatable. Weights so large that the sum exceeds 64 bits
 * wrap around, as there.
 */
public final class NodeResourcesAllocatable implements ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeResourcesAllocatable";

    private static final String LEAST = "Least";
    private static final String MOST = "Most";

    private final ResourceName[] resources;
    private final long[] weights;
    private final long sumOfWeights;
    private final boolean prefersLarge;

    /**
     * The arguments.
     *
     * @param mode whether nodes with the least or the most allocatable resources score highest: Least or Most
     * @param resources the resources that count
     */
    public record Args(String mode, List<Resource> resources) implements PluginArgs {
        private static final List<Resource> CPU_AND_MEMORY =
                List.of(new Resource("cpu", 1 << 20), new Resource("memory", 1));

        /** Prefers small nodes, where a millicore counts as much as a mebibyte of memory. */
        public static final Args DEFAULTS = new Args(LEAST, CPU_AND_MEMORY);

        public Args {
            mode = mode.isEmpty() ? LEAST : mode;
            resources = resources.isEmpty() ? CPU_AND_MEMORY : List.copyOf(resources);
        }

        /**
         * A resource and its weight.
         *
         * @param name its name
         * @param weight the weight of a millicore of cpu, or of a unit of another resource
         */
        public record Resource(String name, long weight) {}

        @Override
        public void validate(Problems problems) {
            if (!mode.equals(LEAST) && !mode.equals(MOST)) {
                problems.at("mode")
                        .report("Invalid value: \"" + mode + "\": invalid support ModeType (expected: Least or Most)");
            }
            for (int i = 0; i < resources.size(); i++) {
                if (resources.get(i).weight() <= 0) {
                    problems.at("resources")
                            .at(i)
                            .at("weight")
                            .report("Invalid value: " + resources.get(i).weight() + ": resource weight of "
                                    + resources.get(i).name() + " should be a positive value, got :"
                                    + resources.get(i).weight() + " (expected: more than 0)");
                }
            }
        }
    }

    private NodeResourcesAllocatable(Args args) {
        // The last weight applies if a resource is named twice.
        Map<String, Long> weightByName = new LinkedHashMap<>();
        args.resources().forEach(resource -> weightByName.put(resource.name(), resource.weight()));
        resources = weightByName.keySet().stream().map(ResourceName::of).toArray(ResourceName[]::new);
        weights = weightByName.values().stream().mapToLong(Long::longValue).toArray();
        long sum = 0;
        for (long weight : weights) {
            sum += weight;
        }
        sumOfWeights = sum;
        prefersLarge = args.mode().equals(MOST);
    }

    @Override
    public String name() {
        return NAME;
    }

    // The pod plays no part.
    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(NAME);
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        long sum = 0;
        for (int i = 0; i < resources.length; i++) {
            sum += weights[i] * node.allocatable(resources[i]);
        }
        // Weights may add up to 0 by overflow only; the nodes are then equal.
        return sumOfWeights == 0 ? 0 : (prefersLarge ? sum : -sum) / sumOfWeights;
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.minMaxScaled();
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of(NAME + "Args");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new NodeResourcesAllocatable(args);
        }
    }
}
