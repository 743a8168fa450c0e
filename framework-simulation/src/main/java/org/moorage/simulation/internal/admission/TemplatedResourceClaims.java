// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;

/**
 * The resource claims that the resource claim controller creates from the templates of pods and pod groups, and names
 * in their statuses. If a template does not exist, no claim is created.
 */
public final class TemplatedResourceClaims {
    private static final String RESOURCES = "resource.k8s.io";
    private static final String CLAIMS = "resourceClaims";
    private static final String TEMPLATE = "resourceClaimTemplateName";
    private static final String STATUSES = "resourceClaimStatuses";
    private static final String CLAIM_NAME = "resourceClaimName";
    private static final String ENTRY = "resource.kubernetes.io/pod-claim-name";

    private final boolean hasClaimsOfGroups;
    private final Map<String, ObjectNode> templates;
    private final Map<String, ObjectNode> podGroups = new ConcurrentSkipListMap<>();
    private final Set<String> taken = ConcurrentHashMap.newKeySet();
    private final Predicate<String> isTakenInCluster;
    private final List<ObjectNode> pods = new ArrayList<>();
    private final List<ObjectNode> created = new ArrayList<>();

    /** Creates the claims of a cluster without objects; {@link #seen} adds them. */
    public TemplatedResourceClaims(FeatureGates features) {
        hasClaimsOfGroups = features.isEnabled(FeatureGates.GENERIC_WORKLOAD)
                && features.isEnabled(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS);
        templates = new ConcurrentHashMap<>();
        isTakenInCluster = name -> false;
    }

    private TemplatedResourceClaims(TemplatedResourceClaims cluster) {
        hasClaimsOfGroups = cluster.hasClaimsOfGroups;
        templates = cluster.templates;
        isTakenInCluster = cluster.taken::contains;
    }

    /** Adds the claims of another instance. */
    void takenAlso(TemplatedResourceClaims others) {
        taken.addAll(others.taken);
    }

    /**
     * Returns whether an object is complete without other objects; a pod or pod group with templates may get claims.
     */
    public static boolean isIndependent(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        return !key.isPod() && !isPodGroup(key) || templated(object).isEmpty();
    }

    /** Adds a pod, a pod group, a claim or a template. */
    public void seen(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isPod() && !isIndependent(object)) {
            pods.add(object);
        } else if (isPodGroup(key)) {
            if (hasClaimsOfGroups && !object.path("spec").path(CLAIMS).isEmpty()) {
                podGroups.put(name(object), object);
            }
        } else if (key.group().equals(RESOURCES)) {
            if (key.kind().equals("ResourceClaimTemplate")) {
                templates.put(name(object), object);
            } else if (key.kind().equals("ResourceClaim")) {
                taken.add(name(object));
            }
        }
    }

    /** Removes a pod group, a claim or a template. */
    public void gone(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (isPodGroup(key)) {
            podGroups.remove(name(object));
        } else if (key.group().equals(RESOURCES)) {
            if (key.kind().equals("ResourceClaimTemplate")) {
                templates.remove(name(object));
            } else if (key.kind().equals("ResourceClaim")) {
                taken.remove(name(object));
            }
        }
    }

    /**
     * Creates the claims of one more pod and the missing claims of its group, or the claims of a group, without
     * recording them. May be called by several threads, also while objects are added and removed.
     */
    public List<ObjectNode> createdFor(ObjectNode pod) {
        TemplatedResourceClaims alone = new TemplatedResourceClaims(this);
        groupOf(pod).ifPresent(group -> alone.seen(group.deepCopy()));
        alone.seen(pod);
        return alone.create();
    }

    /** Creates the claims that are missing, when all objects have been seen. */
    public List<ObjectNode> create() {
        podGroups.values().forEach(group -> templated(group).forEach(entry -> create(group, entry)));
        for (ObjectNode pod : pods) {
            for (JsonNode entry : templated(pod)) {
                Optional<ObjectNode> group = groupWith(pod, entry);
                if (group.isPresent()) {
                    statusOf(group.get(), entry).ifPresent(claim -> addStatus(pod, entry, claim));
                } else {
                    create(pod, entry);
                }
            }
        }
        return created;
    }

    private static boolean isPodGroup(ObjectKey key) {
        return key.group().equals("scheduling.k8s.io") && key.kind().equals("PodGroup");
    }

    private static String name(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        return key.namespace() + "/" + key.name();
    }

    // Returns the entries with a template whose claim is not in the status yet.
    private static List<JsonNode> templated(ObjectNode object) {
        List<JsonNode> entries = new ArrayList<>(0);
        if (Fields.isAbsent(object.path("metadata").path("deletionTimestamp"))) {
            for (JsonNode entry : object.path("spec").path(CLAIMS)) {
                if (entry.path(TEMPLATE).isTextual() && statusOf(object, entry).isEmpty()) {
                    entries.add(entry);
                }
            }
        }
        return entries;
    }

    private static Optional<String> statusOf(ObjectNode object, JsonNode entry) {
        for (JsonNode status : object.path("status").path(STATUSES)) {
            if (status.path("name").equals(entry.path("name"))) {
                return Optional.of(status.path(CLAIM_NAME).asText(""));
            }
        }
        return Optional.empty();
    }

    // The pod's group, if it has the same entry: its pods share the claim.
    private Optional<ObjectNode> groupWith(ObjectNode pod, JsonNode entry) {
        return groupOf(pod).filter(found -> hasEntry(found, entry));
    }

    private Optional<ObjectNode> groupOf(ObjectNode pod) {
        String group =
                pod.path("spec").path("schedulingGroup").path("podGroupName").asText("");
        return Optional.ofNullable(podGroups.get(ObjectKey.of(pod).namespace() + "/" + group));
    }

    private static boolean hasEntry(ObjectNode group, JsonNode entry) {
        for (JsonNode ofGroup : group.path("spec").path(CLAIMS)) {
            if (ofGroup.path("name").equals(entry.path("name"))
                    && ofGroup.path(TEMPLATE).equals(entry.path(TEMPLATE))) {
                return true;
            }
        }
        return false;
    }

    private void create(ObjectNode owner, JsonNode entry) {
        ObjectKey key = ObjectKey.of(owner);
        ObjectNode template =
                templates.get(key.namespace() + "/" + entry.path(TEMPLATE).asText());
        if (template == null) {
            return;
        }
        String name =
                freeName(key.namespace(), key.name() + "-" + entry.path("name").asText());
        created.add(claim(owner, entry, template, name));
        addStatus(owner, entry, name);
    }

    private String freeName(String namespace, String wanted) {
        String name = wanted;
        for (int i = 1; isTakenInCluster.test(namespace + "/" + name) || !taken.add(namespace + "/" + name); i++) {
            name = wanted + "-" + i;
        }
        return name;
    }

    private static ObjectNode claim(ObjectNode owner, JsonNode entry, ObjectNode template, String name) {
        ObjectKey key = ObjectKey.of(owner);
        ObjectNode claim = JsonNodeFactory.instance.objectNode();
        claim.set("apiVersion", template.path("apiVersion"));
        claim.put("kind", "ResourceClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("name", name).put("namespace", key.namespace());
        JsonNode ofTemplate = template.path("spec").path("metadata");
        if (ofTemplate.path("labels") instanceof ObjectNode labels) {
            metadata.set("labels", labels.deepCopy());
        }
        ObjectNode annotations = metadata.putObject("annotations");
        if (ofTemplate.path("annotations") instanceof ObjectNode values) {
            annotations.setAll(values);
        }
        annotations.put(ENTRY, entry.path("name").asText());
        OwnerReferences.addController(metadata, owner);
        if (template.path("spec").path("spec") instanceof ObjectNode spec) {
            claim.set("spec", spec.deepCopy());
        }
        return claim;
    }

    private static void addStatus(ObjectNode object, JsonNode entry, String claim) {
        ArrayNode statuses = Fields.of(object).struct("status").list(STATUSES);
        statuses.addObject().put("name", entry.path("name").asText()).put(CLAIM_NAME, claim);
    }
}
