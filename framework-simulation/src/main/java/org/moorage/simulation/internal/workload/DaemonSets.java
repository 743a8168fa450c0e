// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.TolerationOperators;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.TreeDecoder;

/** The pods of daemon sets: one for each node that they run on, with an affinity to that node. */
final class DaemonSets {
    private static final String EXISTS = "Exists";
    private static final String NO_EXECUTE = "NoExecute";
    private static final String NO_SCHEDULE = "NoSchedule";

    private record Tolerated(String key, String effect) {}

    /** The taints that a daemon set's pods tolerate. */
    private static final List<Tolerated> TOLERATED = List.of(
            new Tolerated("node.kubernetes.io/not-ready", NO_EXECUTE),
            new Tolerated("node.kubernetes.io/unreachable", NO_EXECUTE),
            new Tolerated("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
            new Tolerated("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
            new Tolerated("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
            new Tolerated("node.kubernetes.io/unschedulable", NO_SCHEDULE));

    private static final Tolerated OF_HOST_NETWORK =
            new Tolerated("node.kubernetes.io/network-unavailable", NO_SCHEDULE);

    private final OwnedPods pods;
    private final TolerationOperators operators;
    private final TreeDecoder decoder = new TreeDecoder();

    DaemonSets(OwnedPods pods, TolerationOperators operators) {
        this.pods = pods;
        this.operators = operators;
    }

    /**
     * Makes the pods that a daemon set lacks.
     *
     * @param hasNewTemplate whether the pods that are there are of another template
     */
    MadeObjects of(ObjectNode set, boolean hasNewTemplate, List<Node> nodes) {
        PodTemplate template = PodTemplate.of(set);
        if (!template.isSelected()) {
            return MadeObjects.none(Workloads.NOT_SELECTED);
        }
        ObjectKey key = ObjectKey.of(set);
        Set<String> names = new HashSet<>();
        Set<String> served = new HashSet<>();
        boolean isRolledOut = hasNewTemplate
                && !set.path("spec")
                        .path("updateStrategy")
                        .path("type")
                        .asText("")
                        .equals("OnDelete");
        for (OwnedPods.OwnedPod pod : pods.of(key)) {
            names.add(pod.name());
            if (!isRolledOut) {
                served.add(pod.nodeName());
            }
        }
        String hash = isRolledOut ? template.hash() : pods.revision(key).orElseGet(template::hash);
        ObjectNode model = model(template, set, hash);
        Pod decoded = decoder.pod(model, KeptJson.NONE);
        List<ObjectNode> made = new ArrayList<>();
        int eligible = 0;
        for (Node node : nodes) {
            if (runsOn(decoded, node)) {
                eligible++;
                if (!served.contains(node.name())) {
                    made.add(pod(model, template.prefix(), node.name(), names));
                }
            }
        }
        if (eligible == 0 && served.isEmpty()) {
            return MadeObjects.none("no node among the objects is one for it");
        }
        List<ObjectKey> former = OwnedPods.keys(key.namespace(), pods.of(key, OwnedPods.State.ACTIVE));
        return isRolledOut ? MadeObjects.of(made).deleting(former).rolledOut() : MadeObjects.of(made);
    }

    private boolean runsOn(Pod pod, Node node) {
        return (!pod.isBound() || pod.nodeName().equals(node.name()))
                && pod.spec().selects(node)
                && !operators.hasUntoleratedTaint(pod.spec().tolerations(), node.taints());
    }

    private static ObjectNode model(PodTemplate template, ObjectNode set, String hash) {
        ObjectNode pod = template.pod(template.prefix(), ObjectKey.of(set).name());
        String generation = set.path("metadata")
                .path("annotations")
                .path("deprecated.daemonset.template.generation")
                .asText("1");
        pod.withObject("/metadata/labels")
                .put("controller-revision-hash", hash)
                .put("pod-template-generation", generation);
        Fields spec = Fields.of(pod).struct("spec");
        TOLERATED.forEach(tolerated -> tolerate(spec, tolerated));
        if (spec.node().path("hostNetwork").asBoolean()) {
            tolerate(spec, OF_HOST_NETWORK);
        }
        return pod;
    }

    private static void tolerate(Fields spec, Tolerated tolerated) {
        ArrayNode tolerations = spec.list("tolerations");
        ObjectNode toleration = JsonNodeFactory.instance.objectNode();
        toleration.put("key", tolerated.key()).put("operator", EXISTS).put("effect", tolerated.effect());
        for (int i = 0; i < tolerations.size(); i++) {
            if (isSame(tolerations.path(i), tolerated)) {
                tolerations.set(i, toleration);
                return;
            }
        }
        tolerations.add(toleration);
    }

    private static boolean isSame(JsonNode toleration, Tolerated tolerated) {
        return toleration.path("key").asText("").equals(tolerated.key())
                && toleration.path("operator").asText("").equals(EXISTS)
                && toleration.path("value").asText("").isEmpty()
                && toleration.path("effect").asText("").equals(tolerated.effect());
    }

    private static ObjectNode pod(ObjectNode model, String prefix, String nodeName, Set<String> names) {
        ObjectNode pod = model.deepCopy();
        String name = GeneratedNames.name(prefix, nodeName);
        for (int seed = 0; !names.add(name); seed++) {
            name = GeneratedNames.name(prefix, nodeName + "/" + seed);
        }
        pod.withObject("/metadata").put("name", name);
        Fields required = Fields.of(pod)
                .struct("spec")
                .struct("affinity")
                .struct("nodeAffinity")
                .struct("requiredDuringSchedulingIgnoredDuringExecution");
        // Replaces the terms, which have been matched against the node.
        required.node()
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchFields")
                .addObject()
                .put("key", "metadata.name")
                .put("operator", "In")
                .putArray("values")
                .add(nodeName);
        return pod;
    }
}
