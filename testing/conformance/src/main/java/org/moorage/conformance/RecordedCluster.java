// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.internal.admission.Defaulting;

/** Creates clusters from the objects of recorded cases, which are in the form in which users write them. */
final class RecordedCluster {
    // The order in which an API server lists objects, and so the order in which kube-scheduler received them.
    private static final Comparator<ClusterObject> LISTED =
            Comparator.comparing(ClusterObject::namespace).thenComparing(ClusterObject::name);

    // Pending pods come after all other objects, in the order of the list: this is the order in which they enter the
    // queue.
    private static final Comparator<ClusterObject> IN_ORDER_OF_ARRIVAL = Comparator.comparing(
                    RecordedCluster::isWaiting)
            .thenComparing((first, second) -> isWaiting(first) ? 0 : LISTED.compare(first, second));

    private final TreeDecoder decoder = new TreeDecoder();
    private final FeatureGates features;

    /** Completes objects like an API server with these features. */
    RecordedCluster(FeatureGates features) {
        this.features = features;
    }

    /** Returns a cluster with the objects of a list. */
    InMemoryCluster of(JsonNode objects) {
        return of(objects, LISTED);
    }

    /** Returns a cluster with the objects of a list, to which the pending pods were added in the order of the list. */
    InMemoryCluster inOrderOfArrival(JsonNode objects) {
        return of(objects, IN_ORDER_OF_ARRIVAL);
    }

    private InMemoryCluster of(JsonNode objects, Comparator<ClusterObject> order) {
        List<ClusterObject> decoded = new ArrayList<>(objects.size());
        for (JsonNode object : objects) {
            decoded.add(object(object));
        }
        decoded.sort(order);
        return InMemoryCluster.of(decoded);
    }

    private static boolean isWaiting(ClusterObject object) {
        return object instanceof Pod pod && !pod.isBound();
    }

    /** Returns one object, completed as by the API server. */
    ClusterObject object(JsonNode tree) {
        if (!(tree instanceof ObjectNode object)) {
            throw new IllegalArgumentException("objects: " + tree + " (expected: objects)");
        }
        Defaulting.apply(object, features);
        return decoder.decode(TreeDecoder.kindOf(object), object, EnumSet.allOf(KeptJson.class));
    }
}
