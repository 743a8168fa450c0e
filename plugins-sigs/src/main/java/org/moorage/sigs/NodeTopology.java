// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Quantity;

/**
 * The NUMA cells of a node and the settings of its topology manager, as a NodeResourceTopology reports them. Immutable.
 *
 * <p>Cells are numbered by their index in the list of zones; {@link #number} is the number in the zone's name.
 */
final class NodeTopology {
    static final ObjectKind<OtherObject> KIND =
            ObjectKind.other("topology.node.k8s.io/v1alpha2", "NodeResourceTopology", "noderesourcetopologies", false);

    /** The index of a resource that no cell lists. */
    static final int NONE = -1;

    private static final String CELL_PREFIX = "node-";
    private static final int MOST_CELL_NUMBERS = 64;
    // Further ones are omitted: the distances of all pairs are kept.
    private static final int MOST_CELLS = 256;
    private static final int DEFAULT_MAX_NUMA_NODES = 8;
    private static final int MOST_NUMA_NODES = 1024;
    private static final int UNKNOWN_DISTANCE = 255;
    private static final String FINGERPRINT_ATTRIBUTE = "nodeTopologyPodsFingerprint";
    private static final String FINGERPRINT_METHOD_ATTRIBUTE = "nodeTopologyPodsFingerprintMethod";
    private static final String FINGERPRINT_ANNOTATION = "topology.node.k8s.io/fingerprint";

    private final Config config;
    private final Fingerprint fingerprint;
    private final int[] numbers;
    private final boolean hasRepeatedCells;
    private final int[][] distances;
    private final String[] resources;
    private final int[] resourceHashes;
    // By resource, then by cell; null where the cell does not list the resource.
    private final @Nullable Quantity[][] available;
    // The least average distance of so many cells; computed on first use, by several threads with the same result.
    private final float[] leastDistances;

    /** The policy of the topology manager. */
    enum Policy {
        NONE,
        BEST_EFFORT,
        RESTRICTED,
        SINGLE_NUMA_NODE
    }

    /** The scope that the topology manager aligns. */
    enum Scope {
        CONTAINER,
        POD
    }

    /**
     * The settings of the topology manager.
     *
     * @param policy the policy
     * @param scope the scope
     * @param maxNumaNodes the largest number of cells that it supports
     */
    record Config(Policy policy, Scope scope, int maxNumaNodes) {
        private static final Config DEFAULT = new Config(Policy.NONE, Scope.CONTAINER, DEFAULT_MAX_NUMA_NODES);

        static Config of(ObjectFields fields) {
            Config config = DEFAULT;
            List<String> policies = fields.strings("topologyPolicies");
            if (!policies.isEmpty()) {
                config = config.withCombinedPolicy(policies.get(0));
            }
            for (ObjectFields attribute : fields.objects("attributes")) {
                config = config.with(
                        attribute.string("name").orElse(""),
                        attribute.string("value").orElse(""));
            }
            return config;
        }

        private Config withCombinedPolicy(String text) {
            return switch (text) {
                case "SingleNUMANodePodLevel" -> new Config(Policy.SINGLE_NUMA_NODE, Scope.POD, maxNumaNodes);
                case "SingleNUMANodeContainerLevel" ->
                    new Config(Policy.SINGLE_NUMA_NODE, Scope.CONTAINER, maxNumaNodes);
                case "BestEffortPodLevel" -> new Config(Policy.BEST_EFFORT, Scope.POD, maxNumaNodes);
                case "BestEffortContainerLevel" -> new Config(Policy.BEST_EFFORT, Scope.CONTAINER, maxNumaNodes);
                case "RestrictedPodLevel" -> new Config(Policy.RESTRICTED, Scope.POD, maxNumaNodes);
                case "RestrictedContainerLevel" -> new Config(Policy.RESTRICTED, Scope.CONTAINER, maxNumaNodes);
                default -> this;
            };
        }

        private Config with(String attribute, String value) {
            return switch (attribute) {
                case "topologyManagerPolicy" ->
                    switch (value) {
                        case "none" -> new Config(Policy.NONE, scope, maxNumaNodes);
                        case "best-effort" -> new Config(Policy.BEST_EFFORT, scope, maxNumaNodes);
                        case "restricted" -> new Config(Policy.RESTRICTED, scope, maxNumaNodes);
                        case "single-numa-node" -> new Config(Policy.SINGLE_NUMA_NODE, scope, maxNumaNodes);
                        default -> this;
                    };
                case "topologyManagerScope" ->
                    switch (value) {
                        case "container" -> new Config(policy, Scope.CONTAINER, maxNumaNodes);
                        case "pod" -> new Config(policy, Scope.POD, maxNumaNodes);
                        default -> this;
                    };
                case "topologyManagerMaxNUMANodes" -> {
                    long number = wholeNumber(value);
                    yield number > 1 ? new Config(policy, scope, (int) Math.min(number, MOST_NUMA_NODES)) : this;
                }
                default -> this;
            };
        }
    }

    /**
     * The fingerprint of the pods that the agent on the node saw when it measured.
     *
     * @param text the fingerprint; empty if the object has none
     * @param isAttribute whether it is an attribute, rather than an annotation
     * @param ofExclusive whether the agent counts only pods with exclusive resources
     */
    record Fingerprint(String text, boolean isAttribute, boolean ofExclusive) {
        static Fingerprint of(OtherObject object, ObjectFields fields) {
            Map<String, String> attributes = new HashMap<>();
            for (ObjectFields attribute : fields.objects("attributes")) {
                attributes.putIfAbsent(
                        attribute.string("name").orElse(""),
                        attribute.string("value").orElse(""));
            }
            String text = attributes.get(FINGERPRINT_ATTRIBUTE);
            return text == null
                    ? new Fingerprint(
                            object.metadata().annotations().getOrDefault(FINGERPRINT_ANNOTATION, ""), false, false)
                    : new Fingerprint(
                            text,
                            true,
                            attributes
                                    .getOrDefault(FINGERPRINT_METHOD_ATTRIBUTE, "")
                                    .equals("with-exclusive-resources"));
        }
    }

    private NodeTopology(
            Config config,
            Fingerprint fingerprint,
            int[] numbers,
            int[][] distances,
            String[] resources,
            @Nullable Quantity[][] available,
            float[] leastDistances) {
        this.config = config;
        this.fingerprint = fingerprint;
        this.numbers = numbers;
        hasRepeatedCells = Arrays.stream(numbers).distinct().count() < numbers.length;
        this.distances = distances;
        this.resources = resources;
        this.available = available;
        this.leastDistances = leastDistances;
        resourceHashes = new int[resources.length];
        Arrays.setAll(resourceHashes, i -> resources[i].hashCode());
    }

    /**
     * Reads an object.
     *
     * @throws IllegalArgumentException if a field has the wrong type
     */
    static NodeTopology of(OtherObject object) {
        ObjectFields fields = object.fields();
        List<Integer> numbers = new ArrayList<>();
        List<Map<String, Quantity>> amounts = new ArrayList<>();
        Map<Integer, Map<Integer, Integer>> distancesByNumber = new HashMap<>();
        Map<String, Integer> resources = new LinkedHashMap<>();
        for (ObjectFields zone : fields.objects("zones")) {
            int number = zone.string("type").orElse("").equals("Node")
                    ? cellNumber(zone.string("name").orElse(""))
                    : NONE;
            if (number == NONE || numbers.size() == MOST_CELLS) {
                continue;
            }
            numbers.add(number);
            Map<String, Quantity> ofCell = new HashMap<>();
            for (ObjectFields resource : zone.objects("resources")) {
                String name = resource.string("name").orElse("");
                ofCell.put(name, resource.quantity("available").orElse(Quantity.ZERO));
                resources.putIfAbsent(name, resources.size());
            }
            amounts.add(ofCell);
            // Of zones with the same name, the distances of the last one count.
            distancesByNumber.put(number, distances(zone));
        }
        int cells = numbers.size();
        int[][] distances = new int[cells][cells];
        for (int from = 0; from < cells; from++) {
            for (int to = 0; to < cells; to++) {
                distances[from][to] = distancesByNumber
                        .getOrDefault(numbers.get(from), Map.of())
                        .getOrDefault(numbers.get(to), UNKNOWN_DISTANCE);
            }
        }
        @Nullable Quantity[][] available = new @Nullable Quantity[resources.size()][cells];
        resources.forEach((name, index) -> {
            for (int cell = 0; cell < cells; cell++) {
                available[index][cell] = amounts.get(cell).get(name);
            }
        });
        float[] leastDistances = new float[cells + 1];
        Arrays.fill(leastDistances, Float.NaN);
        return new NodeTopology(
                Config.of(fields),
                Fingerprint.of(object, fields),
                numbers.stream().mapToInt(Integer::intValue).toArray(),
                distances,
                resources.keySet().toArray(String[]::new),
                available,
                leastDistances);
    }

    private static Map<Integer, Integer> distances(ObjectFields zone) {
        Map<Integer, Integer> distances = new HashMap<>();
        for (ObjectFields cost : zone.objects("costs")) {
            int target = cellNumber(cost.string("name").orElse(""));
            if (target != NONE) {
                long value = cost.integer("value").orElse(0);
                distances.put(target, (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, value)));
            }
        }
        return distances;
    }

    // Zones with other names, such as those of caches, are no cells; kubelets know no more than 64 cells.
    private static int cellNumber(String name) {
        long number = name.startsWith(CELL_PREFIX) ? wholeNumber(name.substring(CELL_PREFIX.length())) : NONE;
        return number >= 0 && number < MOST_CELL_NUMBERS ? (int) number : NONE;
    }

    // Returns -1 for anything else than a whole number.
    private static long wholeNumber(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException none) {
            return NONE;
        }
    }

    /** Returns the settings of the topology manager. */
    Config config() {
        return config;
    }

    /** Returns the fingerprint of the pods that the agent saw. */
    Fingerprint fingerprint() {
        return fingerprint;
    }

    /** Returns the number of cells. */
    int cells() {
        return numbers.length;
    }

    /** Returns the number in the name of a cell. */
    int number(int cell) {
        return numbers[cell];
    }

    /** Returns whether several cells have the same number. */
    boolean hasRepeatedCells() {
        return hasRepeatedCells;
    }

    /** Returns the index of a resource, or {@link #NONE} if no cell lists it. */
    int resource(String name) {
        int hash = name.hashCode();
        for (int i = 0; i < resources.length; i++) {
            if (resourceHashes[i] == hash && resources[i].equals(name)) {
                return i;
            }
        }
        return NONE;
    }

    /** Returns the available amount of a resource in a cell, or null if the cell does not list it. */
    @Nullable
    Quantity available(int resource, int cell) {
        return available[resource][cell];
    }

    /** Returns the available amounts by resource and cell, which must not be changed. */
    @Nullable
    Quantity[][] amounts() {
        return available;
    }

    /** Returns the available amounts by resource and cell, as a copy that may be changed. */
    @Nullable
    Quantity[][] copyOfAmounts() {
        @Nullable Quantity[][] copy = new @Nullable Quantity[available.length][];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = available[i].clone();
        }
        return copy;
    }

    /** Returns the average distance between these cells, including that of each cell to itself. */
    float averageDistance(int[] combination, int size) {
        long sum = 0;
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                sum += distances[combination[i]][combination[j]];
            }
        }
        return (float) sum / (float) (size * size);
    }

    /** Returns the least average distance of so many cells; NaN if it is not known yet. */
    float leastDistance(int size) {
        return leastDistances[size];
    }

    /** Keeps the least average distance of so many cells. */
    void keepLeastDistance(int size, float distance) {
        leastDistances[size] = distance;
    }

    /** Returns the topology with these requests subtracted from each cell that lists the resource, down to 0. */
    NodeTopology without(Collection<Map<String, Quantity>> requests) {
        if (requests.isEmpty()) {
            return this;
        }
        @Nullable Quantity[][] left = copyOfAmounts();
        for (Map<String, Quantity> request : requests) {
            request.forEach((name, amount) -> {
                int resource = resource(name);
                for (int cell = 0; resource != NONE && cell < cells(); cell++) {
                    Quantity before = left[resource][cell];
                    if (before != null) {
                        left[resource][cell] = Quantity.ZERO.max(before.minus(amount));
                    }
                }
            });
        }
        return new NodeTopology(config, fingerprint, numbers, distances, resources, left, leastDistances);
    }
}
