// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.objects.ClusterFiles;
import org.moorage.objects.ObjectDecoder;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.Admission;
import org.moorage.simulation.Defaulting;
import org.moorage.simulation.EphemeralClaims;

/**
 * A cluster as files describe it.
 *
 * @param trees the objects, complete as an API server would have them
 * @param objects the same, decoded, in the same order
 */
record ClusterInput(List<ObjectNode> trees, List<ClusterObject> objects) {
    static ClusterInput read(List<String> sources, InputStream stdin, PluginRegistry registry, FeatureGates features) {
        List<ObjectNode> trees = ClusterFiles.read(sources, stdin);
        Admission.apply(trees, features);
        return of(trees, registry, features);
    }

    /** The same as it is after a while: with the claims that pods need. */
    static ClusterInput readSettled(
            List<String> sources, InputStream stdin, PluginRegistry registry, FeatureGates features) {
        List<ObjectNode> trees = new ArrayList<>(ClusterFiles.read(sources, stdin));
        Admission.apply(trees, features);
        EphemeralClaims.apply(trees);
        return of(trees, registry, features);
    }

    private static ClusterInput of(List<ObjectNode> trees, PluginRegistry registry, FeatureGates features) {
        boolean podJson = registry.factories().stream().anyMatch(PluginFactory::needsPodJson);
        ObjectDecoder decoder = new ObjectDecoder();
        List<ClusterObject> objects = new ArrayList<>(trees.size());
        for (ObjectNode tree : trees) {
            Defaulting.apply(tree, features);
            objects.add(decoder.decode(ObjectDecoder.kindOf(tree), tree, podJson));
        }
        return new ClusterInput(trees, objects);
    }

    /** The pods that wait for a node, in order. */
    List<Pod> waitingPods() {
        List<Pod> waiting = new ArrayList<>();
        for (Pod pod : pods()) {
            if (!pod.isBound() && !pod.status().isTerminal()) {
                waiting.add(pod);
            }
        }
        return waiting;
    }

    List<Pod> pods() {
        return ofType(Pod.class);
    }

    List<Node> nodes() {
        return ofType(Node.class);
    }

    private <T> List<T> ofType(Class<T> type) {
        List<T> found = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (type.isInstance(object)) {
                found.add(type.cast(object));
            }
        }
        return found;
    }

    /** When the youngest object was made: the earliest time that it can be in this cluster. */
    Instant youngest() {
        Instant youngest = Instant.EPOCH;
        for (ClusterObject object : objects) {
            Instant created = object.metadata().creationTimestamp().orElse(Instant.EPOCH);
            youngest = created.isAfter(youngest) ? created : youngest;
        }
        return youngest;
    }

    /** Whether the object is of a kind that kube-scheduler may look at. */
    static boolean concernsScheduling(ObjectNode tree) {
        return switch (ObjectDecoder.kindOf(tree).group()) {
            case "", "apps", "policy", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io" -> true;
            default -> false;
        };
    }
}
