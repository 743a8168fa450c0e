// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;

/**
 * The pods of stateful sets and the claims from their templates. Pods that would start one after the other are created
 * at the same time, since no pod starts here; but no further pod is created while an existing pod is not ready.
 */
public final class StatefulSets {
    private final OwnedPods pods;
    private final Set<ObjectKey> claims = new HashSet<>();

    StatefulSets(OwnedPods pods) {
        this.pods = pods;
    }

    /** Returns whether a workload is a StatefulSet whose replicas have their own claims. */
    public static boolean hasClaimTemplates(ObjectNode workload) {
        return ObjectKey.of(workload).kind().equals("StatefulSet")
                && !workload.path("spec").path("volumeClaimTemplates").isEmpty();
    }

    /**
     * Returns a StatefulSet reduced to one further replica.
     *
     * @param number 0 for the first replica after those that the set asks for
     */
    public static ObjectNode onlyReplica(ObjectNode set, int number) {
        Fields spec = PodTemplate.specOf(set);
        int ordinal = spec.pointer("ordinals")
                        .map(ordinals -> ordinals.number("start", 0))
                        .orElse(0)
                + spec.number("replicas", 1)
                + number;
        ObjectNode reduced = set.deepCopy();
        ObjectNode fields = reduced.withObject("/spec");
        fields.put("replicas", 1).put("podManagementPolicy", "Parallel");
        fields.withObject("/ordinals").put("start", ordinal);
        return reduced;
    }

    /** Takes note of a claim. */
    void seenClaim(ObjectNode claim) {
        claims.add(ObjectKey.of(claim));
    }

    /**
     * Creates the pods that a stateful set lacks, and the claims that its pending pods lack.
     *
     * @param hasNewTemplate whether the existing pods are from another template
     */
    MadeObjects of(ObjectNode set, boolean hasNewTemplate) {
        Fields spec = PodTemplate.specOf(set);
        PodTemplate template = PodTemplate.of(set);
        if (!template.isSelected()) {
            return MadeObjects.none(Workloads.NOT_SELECTED);
        }
        int replicas = spec.number("replicas", 1);
        ObjectKey key = ObjectKey.of(set);
        int start = spec.pointer("ordinals")
                .map(ordinals -> ordinals.number("start", 0))
                .orElse(0);
        int firstOfNewTemplate = hasNewTemplate ? Math.max(start, firstUpdated(spec)) : Integer.MAX_VALUE;
        List<OwnedPods.OwnedPod> deleted = pods.of(key, OwnedPods.State.ACTIVE).stream()
                .filter(pod -> isSurplus(pod.name(), key, start, start + replicas, firstOfNewTemplate))
                .toList();
        List<ObjectKey> deletedKeys = OwnedPods.keys(key.namespace(), deleted);
        if (replicas == 0) {
            return MadeObjects.none(Workloads.NO_REPLICAS).deleting(deletedKeys);
        }
        Map<String, OwnedPods.OwnedPod> present = new HashMap<>();
        pods.of(key).forEach(pod -> present.put(pod.name(), pod));
        deleted.forEach(pod -> present.remove(pod.name()));
        boolean isWaiting = !spec.holds("podManagementPolicy", "Parallel")
                && present.values().stream().anyMatch(pod -> !pod.isReady());
        String revision = hasNewTemplate ? key.name() + "-" + template.hash() : revision(set, key, template);
        List<ObjectNode> made = new ArrayList<>();
        Set<ObjectKey> madeClaims = new HashSet<>();
        for (int ordinal = start; ordinal < start + replicas; ordinal++) {
            String name = key.name() + "-" + ordinal;
            boolean isTaken = pods.contains(key.namespace(), name) && ordinal < firstOfNewTemplate;
            boolean isMissing = !present.containsKey(name) && !isTaken;
            if (isMissing && isWaiting) {
                continue;
            }
            if (isMissing || present.containsKey(name) && !present.get(name).isScheduled()) {
                for (ObjectNode claim : claims(set, spec, ordinal)) {
                    ObjectKey claimKey = ObjectKey.of(claim);
                    if (!claims.contains(claimKey) && madeClaims.add(claimKey)) {
                        made.add(claim);
                    }
                }
            }
            if (isMissing) {
                made.add(pod(template, spec, name, ordinal, revision));
            }
        }
        MadeObjects all = MadeObjects.of(made).deleting(deletedKeys);
        return firstOfNewTemplate < start + replicas ? all.rolledOut() : all;
    }

    // Only the pods from the partition on are updated.
    private static int firstUpdated(Fields spec) {
        if (spec.pointer("updateStrategy")
                .filter(strategy -> strategy.holds("type", "OnDelete"))
                .isPresent()) {
            return Integer.MAX_VALUE;
        }
        return spec.node()
                .path("updateStrategy")
                .path("rollingUpdate")
                .path("partition")
                .asInt(0);
    }

    private static boolean isSurplus(String name, ObjectKey set, int start, int end, int firstOfNewTemplate) {
        String ordinal =
                name.startsWith(set.name() + "-") ? name.substring(set.name().length() + 1) : "";
        if (!ordinal.matches("[0-9]{1,9}")) {
            return false;
        }
        int number = Integer.parseInt(ordinal);
        return number < start || number >= end || number >= firstOfNewTemplate;
    }

    private String revision(ObjectNode set, ObjectKey key, PodTemplate template) {
        String known = set.path("status").path("updateRevision").asText("");
        return known.isEmpty() ? pods.revision(key).orElseGet(() -> key.name() + "-" + template.hash()) : known;
    }

    private static ObjectNode pod(PodTemplate template, Fields spec, String name, int ordinal, String revision) {
        ObjectNode pod = template.pod(template.prefix(), name);
        pod.withObject("/metadata/labels")
                .put("apps.kubernetes.io/pod-index", String.valueOf(ordinal))
                .put("controller-revision-hash", revision)
                .put("statefulset.kubernetes.io/pod-name", name);
        ObjectNode podSpec = pod.withObject("/spec");
        podSpec.put("hostname", name);
        String service = spec.node().path("serviceName").asText("");
        if (!service.isEmpty()) {
            podSpec.put("subdomain", service);
        }
        addVolumes(podSpec, spec, name);
        return pod;
    }

    private static void addVolumes(ObjectNode podSpec, Fields spec, String podName) {
        ArrayNode volumes = JsonNodeFactory.instance.arrayNode();
        Set<String> claimed = new HashSet<>();
        for (Fields claim : spec.each("volumeClaimTemplates")) {
            String name = claim.node().path("metadata").path("name").asText("");
            claimed.add(name);
            volumes.addObject()
                    .put("name", name)
                    .putObject("persistentVolumeClaim")
                    .put("claimName", name + "-" + podName);
        }
        for (JsonNode volume : podSpec.path("volumes")) {
            if (!claimed.contains(volume.path("name").asText(""))) {
                volumes.add(volume);
            }
        }
        if (!volumes.isEmpty()) {
            podSpec.set("volumes", volumes);
        }
    }

    private static List<ObjectNode> claims(ObjectNode set, Fields spec, int ordinal) {
        ObjectKey key = ObjectKey.of(set);
        List<ObjectNode> made = new ArrayList<>();
        for (Fields template : spec.each("volumeClaimTemplates")) {
            ObjectNode claim = template.node().deepCopy();
            claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
            claim.remove("status");
            Fields metadata = Fields.of(claim).struct("metadata");
            String name = metadata.node().path("name").asText("");
            metadata.node().put("name", name + "-" + key.name() + "-" + ordinal).put("namespace", key.namespace());
            ObjectNode labels = metadata.struct("labels").node();
            spec.node()
                    .path("selector")
                    .path("matchLabels")
                    .properties()
                    .forEach(label -> labels.set(label.getKey(), label.getValue()));
            JsonNode retention = spec.node().path("persistentVolumeClaimRetentionPolicy");
            if (retention.path("whenDeleted").asText("").equals("Delete")) {
                OwnerReferences.addController(metadata.node(), set);
            }
            made.add(claim);
        }
        return made;
    }
}
