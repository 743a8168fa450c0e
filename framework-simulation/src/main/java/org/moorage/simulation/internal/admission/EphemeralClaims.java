// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.objects.internal.Fields;
import org.moorage.objects.internal.ObjectKey;
import org.moorage.objects.internal.OwnerReferences;

/**
 * Creates the claims of generic ephemeral volumes from the volumes' templates, and gives claims that name no storage class the
 * default one, as the ephemeral volume controller and the API server do.
 */
public final class EphemeralClaims {
    private static final String CLASS = "storageClassName";
    private static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
    private static final List<String> IS_DEFAULT =
            List.of("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class");

    private final Set<ObjectKey> known = new HashSet<>();
    private final List<ObjectNode> templated = new ArrayList<>();
    private Optional<ObjectNode> defaultClass = Optional.empty();

    /** The claims of objects that are {@link #seen} one by one. */
    public EphemeralClaims() {}

    /**
     * Adds the claims of pods that are not among the objects, and gives all claims a class.
     *
     * @param objects the objects of a cluster, after {@link Admission}
     */
    public static void apply(List<ObjectNode> objects) {
        EphemeralClaims claims = new EphemeralClaims();
        objects.forEach(claims::seen);
        objects.addAll(claims.created());
        objects.forEach(claims::addClass);
    }

    /** Takes note of a claim, a storage class, or a pod with its uid. */
    public void seen(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (isClaim(key)) {
            known.add(key);
        } else if (key.group().isEmpty() && key.kind().equals("Pod")) {
            addTemplated(object);
        } else if (key.group().equals("storage.k8s.io")
                && key.kind().equals("StorageClass")
                && isDefault(object)
                && (defaultClass.isEmpty() || comesFirst(object, defaultClass.get()))) {
            defaultClass = Optional.of(object);
        }
    }

    private void addTemplated(ObjectNode pod) {
        if (Fields.isAbsent(pod.path("metadata").path("deletionTimestamp"))) {
            for (JsonNode volume : pod.path("spec").path("volumes")) {
                JsonNode template = volume.path("ephemeral").path("volumeClaimTemplate");
                if (template.isObject()) {
                    templated.add(claim(pod, volume.path("name").asText(), template));
                }
            }
        }
    }

    /** The claims that are missing, when all objects have been seen. */
    public List<ObjectNode> created() {
        templated.removeIf(claim -> !known.add(ObjectKey.of(claim)));
        Admission.apply(templated);
        return templated;
    }

    /** Whether an object is complete without knowing others: a claim may get the default class. */
    public static boolean isIndependent(ObjectNode object) {
        return !isClaim(ObjectKey.of(object));
    }

    private static boolean isClaim(ObjectKey key) {
        return key.group().isEmpty() && key.kind().equals("PersistentVolumeClaim");
    }

    /** Gives a claim the default class if it needs one, when all objects have been seen. */
    public void addClass(ObjectNode object) {
        if (defaultClass.isPresent() && isClaim(ObjectKey.of(object))) {
            addClass(object, defaultClass.get().path("metadata").path("name").asText());
        }
    }

    private static boolean isDefault(ObjectNode storageClass) {
        JsonNode annotations = storageClass.path("metadata").path("annotations");
        for (String annotation : IS_DEFAULT) {
            if (annotations.path(annotation).asText().equals("true")) {
                return true;
            }
        }
        return false;
    }

    // Of several, the API server takes the newest, and of those of one age the first by name.
    private static boolean comesFirst(ObjectNode storageClass, ObjectNode other) {
        int newer = creationTime(other).compareTo(creationTime(storageClass));
        return newer < 0
                || newer == 0
                        && ObjectKey.of(storageClass)
                                        .name()
                                        .compareTo(ObjectKey.of(other).name())
                                < 0;
    }

    private static String creationTime(ObjectNode object) {
        return object.path("metadata").path("creationTimestamp").asText("");
    }

    private static ObjectNode claim(ObjectNode pod, String volume, JsonNode template) {
        ObjectKey owner = ObjectKey.of(pod);
        ObjectNode claim = JsonNodeFactory.instance.objectNode();
        claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("name", owner.name() + "-" + volume).put("namespace", owner.namespace());
        for (String field : List.of("labels", "annotations")) {
            if (template.path("metadata").path(field) instanceof ObjectNode values) {
                metadata.set(field, values.deepCopy());
            }
        }
        OwnerReferences.addController(metadata, pod);
        claim.set("spec", template.path("spec").deepCopy());
        return claim;
    }

    private static void addClass(ObjectNode claim, String name) {
        boolean isUnbound = claim.path("spec").path("volumeName").asText("").isEmpty();
        boolean hasBetaClass = claim.path("metadata").path("annotations").has(BETA_CLASS);
        if (isUnbound && !hasBetaClass) {
            Fields.of(claim).struct("spec").whenAbsent(CLASS, JsonNodeFactory.instance.textNode(name));
        }
    }
}
