// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;

/** The costs of the network between regions and between zones, by the weights with one name. */
final class NetworkTopology {
    static final ObjectKind<OtherObject> KIND =
            ObjectKind.other("networktopology.diktyo.x-k8s.io/v1alpha1", "NetworkTopology", "networktopologies", true);

    static final String REGION = "topology.kubernetes.io/region";
    static final String ZONE = "topology.kubernetes.io/zone";

    // Measured costs are written in sorted order, and scheduler-plugins relies on it.
    private static final String SORTED_WEIGHTS = "NetperfCosts";

    private final List<List<Level>> weights;
    private final Map<Place, Costs> costsByPlace = new ConcurrentHashMap<>();

    /**
     * The costs between places of one kind.
     *
     * @param topologyKey the label of the places: that of regions or of zones
     * @param origins the costs by origin
     */
    private record Level(String topologyKey, List<Origin> origins) {}

    /**
     * The costs from one place.
     *
     * @param name the place
     * @param costs the costs by destination
     */
    private record Origin(String name, Map<String, Long> costs) {}

    /**
     * Where a node is.
     *
     * @param region its region; empty if it has none
     * @param zone its zone; empty if it has none
     */
    record Place(String region, String zone) {
        boolean isUnknown() {
            return region.isEmpty() && zone.isEmpty();
        }
    }

    /**
     * The costs from one place.
     *
     * @param fromRegion the costs to other regions
     * @param fromZone the costs to other zones
     */
    record Costs(Map<String, Long> fromRegion, Map<String, Long> fromZone) {
        /** Returns the cost to a place in another region or zone; null if it is not known. */
        @Nullable
        Long to(Place here, Place there) {
            return here.region().equals(there.region()) ? fromZone.get(there.zone()) : fromRegion.get(there.region());
        }
    }

    private NetworkTopology(List<List<Level>> weights) {
        this.weights = weights;
    }

    /** Returns a parser of objects, which reads the weights with a name. */
    static Function<OtherObject, NetworkTopology> parser(String weightsName) {
        return object -> of(object, weightsName);
    }

    private static NetworkTopology of(OtherObject object, String weightsName) {
        boolean isSorted = weightsName.equals(SORTED_WEIGHTS);
        List<List<Level>> weights = new ArrayList<>();
        for (ObjectFields weight : object.fields().objects("spec", "weights")) {
            if (!weight.string("name").orElse("").equals(weightsName)) {
                continue;
            }
            List<Level> levels = new ArrayList<>();
            for (ObjectFields level : weight.objects("topologyList")) {
                List<Origin> origins = new ArrayList<>();
                for (ObjectFields origin : level.objects("originList")) {
                    origins.add(new Origin(origin.string("origin").orElse(""), costs(origin)));
                }
                if (!isSorted) {
                    origins.sort(Comparator.comparing(Origin::name));
                }
                levels.add(new Level(level.string("topologyKey").orElse(""), origins));
            }
            if (!isSorted) {
                levels.sort(Comparator.comparing(Level::topologyKey));
            }
            weights.add(levels);
        }
        return new NetworkTopology(weights);
    }

    private static Map<String, Long> costs(ObjectFields origin) {
        Map<String, Long> costs = new HashMap<>();
        for (ObjectFields cost : origin.objects("costList")) {
            costs.put(
                    cost.string("destination").orElse(""),
                    cost.integer("networkCost").orElse(0));
        }
        return costs;
    }

    /** Returns the costs from a place, which are kept. */
    Costs from(Place place) {
        return costsByPlace.computeIfAbsent(place, this::costs);
    }

    // Later weights override earlier ones. scheduler-plugins keeps one table for both kinds of places, so that a region
    // and a zone of the same name share their costs.
    private Costs costs(Place place) {
        Map<String, Long> fromRegion = new HashMap<>();
        Map<String, Long> fromZone = place.region().equals(place.zone()) ? fromRegion : new HashMap<>();
        for (List<Level> levels : weights) {
            add(levels, REGION, place.region(), fromRegion);
            add(levels, ZONE, place.zone(), fromZone);
        }
        return new Costs(fromRegion, fromZone);
    }

    private static void add(List<Level> levels, String topologyKey, String name, Map<String, Long> costs) {
        int level = name.isEmpty() ? -1 : Sorted.indexOf(levels, Level::topologyKey, topologyKey);
        if (level >= 0) {
            List<Origin> origins = levels.get(level).origins();
            int origin = Sorted.indexOf(origins, Origin::name, name);
            if (origin >= 0) {
                costs.putAll(origins.get(origin).costs());
            }
        }
    }
}
