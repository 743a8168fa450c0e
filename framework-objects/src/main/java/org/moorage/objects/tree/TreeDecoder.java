// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Taint;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;

/**
 * Decodes trees of JSON or YAML into the objects that scheduling reads.
 *
 * <p>Unknown fields are ignored, and fields that are absent or null are empty. A value of the wrong type is an {@link
 * ObjectDecodeException}.
 *
 * <p>Pods of one template are equal in nearly all of their fields. Equal parts of the objects that one decoder returns are one
 * instance, above all the {@link PodSpec}, so the objects of a cluster should come from one decoder. Safe for
 * use by several threads.
 */
public final class TreeDecoder {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final int MOST_UNREADABLE_VALUES = 100;
    private static final String MANAGED_FIELDS = "managedFields";
    private static final String SIBILANT_ENDING = ".*(s|x|z|ch|sh)";

    private final SharedValues shared = new SharedValues();
    private final SelectorDecoder selectors = new SelectorDecoder(shared);
    private final VolumeDecoder volumes = new VolumeDecoder(shared, selectors);
    private final PodDecoder pods = new PodDecoder(shared, selectors, volumes);
    private final DeviceDecoder devices = new DeviceDecoder(shared, selectors, pods);
    private final GroupDecoder groups = new GroupDecoder(shared, pods);

    /** Creates a decoder without shared values. */
    public TreeDecoder() {}

    /**
     * Returns the kind of an object by its {@code apiVersion} and {@code kind}: the model's also for {@linkplain
     * KindVersions other versions}. For a kind that Kubernetes' own API does not have, the plural is derived from the
     * name, and the kind has namespaces.
     *
     * @throws ObjectDecodeException if the object has no {@code apiVersion} or {@code kind}
     */
    public static ObjectKind<?> kindOf(ObjectNode object) {
        String apiVersion = named(object, "apiVersion", "v1");
        String kind = named(object, "kind", "Pod");
        for (ObjectKind<?> typed : ObjectKind.TYPED) {
            if (typed.kind().equals(kind) && typed.apiVersion().equals(apiVersion)) {
                return typed;
            }
        }
        return KindVersions.find(apiVersion, kind).orElseGet(() -> otherKind(object, apiVersion, kind));
    }

    private static ObjectKind<OtherObject> otherKind(ObjectNode object, String apiVersion, String kind) {
        return BuiltInKinds.find(ObjectKey.of(object).group(), kind)
                .map(known -> ObjectKind.other(apiVersion, kind, known.plural(), known.namespaced()))
                .orElseGet(() -> ObjectKind.other(apiVersion, kind, plural(kind), true));
    }

    private static String named(ObjectNode object, String field, String example) {
        JsonNode value = object.path(field);
        if (!value.isTextual() || value.textValue().isEmpty()) {
            String seen = value.isMissingNode() ? "nothing" : Fields.shown(value);
            throw new ObjectDecodeException(
                    ObjectKey.of(object).title() + ": " + field + ": " + seen + " (expected: such as " + example + ")");
        }
        return value.textValue();
    }

    private static String plural(String kind) {
        String name = kind.toLowerCase(Locale.ROOT);
        if (name.matches(SIBILANT_ENDING)) {
            return name + "es";
        }
        return name.matches(".*[^aeiou]y") ? name.substring(0, name.length() - 1) + "ies" : name + "s";
    }

    /**
     * Decodes an object of the kind that it names.
     *
     * @throws ObjectDecodeException if it names no kind, or a value in it has the wrong type
     */
    public ClusterObject decode(ObjectNode object) {
        return decode(kindOf(object), object, KeptJson.NONE);
    }

    /**
     * Decodes an object of a kind, which may differ from the one that it names.
     *
     * @param kind the kind
     * @param object the object
     * @param json which objects keep their JSON text
     * @throws ObjectDecodeException if a value in it has the wrong type
     */
    public <T extends ClusterObject> T decode(ObjectKind<T> kind, ObjectNode object, Set<KeptJson> json) {
        FieldReader root = FieldReader.root(KindVersions.upgraded(object));
        Object decoded;
        if (kind.type() == Pod.class) {
            decoded = pod(object, json);
        } else if (kind.type() == Node.class) {
            decoded = node(object, json);
        } else if (kind.type() == Namespace.class) {
            decoded = new Namespace(metadata(root));
        } else if (kind.type() == Service.class) {
            decoded = service(root);
        } else if (kind.type() == ReplicationController.class) {
            decoded = replicationController(root);
        } else if (kind.type() == ReplicaSet.class) {
            decoded = replicaSet(root);
        } else if (kind.type() == StatefulSet.class) {
            decoded = statefulSet(root);
        } else if (kind.type() == PersistentVolume.class) {
            decoded = volumes.persistentVolume(metadata(root), root);
        } else if (kind.type() == PersistentVolumeClaim.class) {
            decoded = volumes.persistentVolumeClaim(metadata(root), root);
        } else if (kind.type() == StorageClass.class) {
            decoded = volumes.storageClass(metadata(root), root);
        } else if (kind.type() == CsiNode.class) {
            decoded = volumes.csiNode(metadata(root), root);
        } else if (kind.type() == CsiDriver.class) {
            decoded = volumes.csiDriver(metadata(root), root);
        } else if (kind.type() == CsiStorageCapacity.class) {
            decoded = volumes.csiStorageCapacity(metadata(root), root);
        } else if (kind.type() == VolumeAttachment.class) {
            decoded = volumes.volumeAttachment(metadata(root), root);
        } else if (kind.type() == ResourceClaim.class) {
            decoded = devices.claim(metadata(root), root);
        } else if (kind.type() == ResourceSlice.class) {
            decoded = devices.slice(metadata(root), root);
        } else if (kind.type() == DeviceClass.class) {
            decoded = devices.deviceClass(metadata(root), root);
        } else if (kind.type() == DeviceTaintRule.class) {
            decoded = devices.taintRule(metadata(root), root);
        } else if (kind.type() == PodDisruptionBudget.class) {
            decoded = podDisruptionBudget(root);
        } else if (kind.type() == PodGroup.class) {
            decoded = groups.podGroup(metadata(root), root);
        } else if (kind.type() == CompositePodGroup.class) {
            decoded = groups.compositePodGroup(metadata(root), root);
        } else if (kind.type() == OtherObject.class) {
            ObjectKind<OtherObject> other =
                    ObjectKind.other(kind.apiVersion(), kind.kind(), kind.plural(), kind.namespaced());
            decoded = new OtherObject(shared.value(other), metadata(root), json(object));
        } else {
            throw new IllegalArgumentException(
                    "kind: " + kind + " (expected: one of ObjectKind.TYPED, or one without a type)");
        }
        return kind.type().cast(decoded);
    }

    /**
     * Decodes a pod.
     *
     * @param object the pod's tree
     * @param json which pods keep their JSON text
     * @throws ObjectDecodeException if a value in it has the wrong type
     */
    public Pod pod(ObjectNode object, Set<KeptJson> json) {
        FieldReader root = FieldReader.root(object);
        ObjectMeta metadata = metadata(root);
        FieldReader spec = root.object("spec");
        Pod pod = Pod.of(metadata, shared.value(pods.spec(spec))).withStatus(pods.status(root.object("status")));
        String nodeName = spec.text("nodeName");
        if (json.contains(nodeName.isEmpty() ? KeptJson.PENDING_PODS : KeptJson.BOUND_PODS)) {
            pod = pod.withJson(json(object));
        }
        return nodeName.isEmpty() ? pod : pod.withNode(shared.text(nodeName));
    }

    /**
     * Decodes a pod whose specification is that of an earlier pod, except for the node and the node affinity.
     *
     * @param object the pod's tree
     * @param earlier the specification of the earlier pod
     * @throws ObjectDecodeException if a value in it has the wrong type
     */
    public Pod pod(ObjectNode object, PodSpec earlier) {
        FieldReader root = FieldReader.root(object);
        FieldReader spec = root.object("spec");
        PodSpec own = pods.withNodeAffinity(earlier, spec.object("affinity"));
        return Pod.of(metadata(root), own)
                .withStatus(pods.status(root.object("status")))
                .withNode(shared.text(spec.text("nodeName")));
    }

    /**
     * Decodes the readable part of a pod with values of the wrong type, without those values. The result counts on its
     * node as far as it can be read, but must not be scheduled.
     *
     * @param object the pod's tree, of which parts are removed
     */
    public Pod readablePart(ObjectNode object) {
        for (int removed = 0; removed < MOST_UNREADABLE_VALUES; removed++) {
            try {
                return pod(object, KeptJson.NONE);
            } catch (RuntimeException e) {
                String place = e instanceof ObjectDecodeException wrong ? wrong.place() : "";
                if (place.isEmpty() || !remove(object, JsonPointer.compile(place))) {
                    break;
                }
            }
        }
        return Pod.of(
                        metadata(FieldReader.root(identityOf(object))),
                        PodSpec.builder().build())
                .withNode(object.path("spec").path("nodeName").asText(""));
    }

    /**
     * Returns the problems of an object of a kind: each value of the wrong type that can be found by removing the ones before it.
     *
     * @param kind the kind
     * @param object the object
     * @return the messages; none if the object can be decoded
     */
    public List<String> problems(ObjectKind<?> kind, ObjectNode object) {
        ObjectNode rest = object.deepCopy();
        List<String> problems = new ArrayList<>();
        while (problems.size() < MOST_UNREADABLE_VALUES) {
            try {
                decode(kind, rest, KeptJson.NONE);
                break;
            } catch (ObjectDecodeException wrong) {
                problems.add(Objects.requireNonNullElse(wrong.getMessage(), ""));
                if (wrong.place().isEmpty() || !remove(rest, JsonPointer.compile(wrong.place()))) {
                    break;
                }
            }
        }
        return problems;
    }

    private static boolean remove(ObjectNode object, JsonPointer place) {
        JsonNode parent = object.at(place.head());
        if (parent instanceof ArrayNode array) {
            return array.remove(place.last().getMatchingIndex()) != null;
        }
        return parent instanceof ObjectNode fields && fields.remove(place.last().getMatchingProperty()) != null;
    }

    /** Returns an object with only the fields that identify it: enough to know which one was deleted. */
    public static ObjectNode identityOf(ObjectNode object) {
        ObjectNode identity = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = identity.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion")) {
            metadata.put(field, object.path("metadata").path(field).asText(""));
        }
        identity.putObject("spec")
                .put("nodeName", object.path("spec").path("nodeName").asText(""));
        return identity;
    }

    /**
     * Decodes a node.
     *
     * @param object the node's tree
     * @param json which nodes keep their JSON text
     * @throws ObjectDecodeException if a value in it has the wrong type
     */
    public Node node(ObjectNode object, Set<KeptJson> json) {
        FieldReader root = FieldReader.root(object);
        FieldReader spec = root.object("spec");
        FieldReader status = root.object("status");
        Node.Builder node = Node.of(metadata(root))
                .unschedulable(spec.flag("unschedulable"))
                .taints(shared.value(spec.list("taints", this::taint)))
                .capacity(shared.quantities(status, "capacity"))
                .allocatable(shared.quantities(status, "allocatable"))
                .images(shared.value(status.list("images", this::image)))
                .conditions(conditions(status))
                .declaredFeatures(shared.value(status.texts("declaredFeatures")));
        spec.optional(
                        "podPreemptionPolicy",
                        policy -> new Node.PodPreemptionPolicy(policy.texts("disableResizePreemption")))
                .ifPresent(node::podPreemptionPolicy);
        return json.contains(KeptJson.NODES)
                ? node.json(jsonWithoutKind(object)).build()
                : node.build();
    }

    private Service service(FieldReader root) {
        return new Service(metadata(root), shared.textMap(root.object("spec"), "selector"));
    }

    private ReplicationController replicationController(FieldReader root) {
        return new ReplicationController(metadata(root), shared.textMap(root.object("spec"), "selector"));
    }

    private ReplicaSet replicaSet(FieldReader root) {
        return new ReplicaSet(metadata(root), root.object("spec").optional("selector", selectors::labelSelector));
    }

    private StatefulSet statefulSet(FieldReader root) {
        return new StatefulSet(metadata(root), root.object("spec").optional("selector", selectors::labelSelector));
    }

    private PodDisruptionBudget podDisruptionBudget(FieldReader root) {
        FieldReader status = root.object("status");
        return new PodDisruptionBudget(
                metadata(root),
                root.object("spec").optional("selector", selectors::labelSelector),
                status.number("disruptionsAllowed"),
                status.textMap("disruptedPods", shared::text).keySet(),
                status.number("currentHealthy"),
                status.number("desiredHealthy"),
                shared.text(root.object("spec").text("unhealthyPodEvictionPolicy")));
    }

    private Taint taint(FieldReader taint) {
        return shared.value(new Taint(taint.text("key"), taint.text("value"), taint.text("effect")));
    }

    private ContainerImage image(FieldReader image) {
        return shared.value(new ContainerImage(image.texts("names"), image.longNumber("sizeBytes")));
    }

    private Map<String, String> conditions(FieldReader status) {
        Map<String, String> byType = new LinkedHashMap<>();
        status.list("conditions", condition -> Map.entry(condition.text("type"), condition.text("status")))
                .forEach(condition -> byType.put(condition.getKey(), condition.getValue()));
        return shared.value(Map.copyOf(byType));
    }

    private ObjectMeta metadata(FieldReader root) {
        FieldReader metadata = root.object("metadata");
        ObjectMeta.Builder result = ObjectMeta.named(metadata.text("name"))
                .namespace(shared.text(metadata.text("namespace")))
                .uid(metadata.text("uid"))
                .resourceVersion(metadata.text("resourceVersion"))
                .generation(metadata.longNumber("generation"))
                .labels(shared.textMap(metadata, "labels"))
                .annotations(annotations(metadata))
                .ownerReferences(shared.value(metadata.list("ownerReferences", this::owner)));
        Instant created = metadata.time("creationTimestamp");
        if (created != null) {
            result.creationTimestamp(created);
        }
        Instant deleted = metadata.time("deletionTimestamp");
        if (deleted != null) {
            result.deletionTimestamp(deleted);
            result.deletedAtOnce(metadata.has("deletionGracePeriodSeconds")
                    && metadata.longNumber("deletionGracePeriodSeconds") == 0
                    && metadata.texts("finalizers").isEmpty());
        }
        return result.build();
    }

    private Map<String, String> annotations(FieldReader metadata) {
        Map<String, String> annotations = metadata.textMap("annotations", shared::text);
        if (annotations.containsKey(LAST_APPLIED)) {
            Map<String, String> rest = new LinkedHashMap<>(annotations);
            rest.remove(LAST_APPLIED);
            annotations = Map.copyOf(rest);
        }
        return shared.value(annotations);
    }

    private OwnerReference owner(FieldReader owner) {
        return new OwnerReference(
                shared.text(owner.text("apiVersion")),
                shared.text(owner.text("kind")),
                owner.text("name"),
                owner.text("uid"),
                owner.flag("controller"));
    }

    private static String jsonWithoutKind(ObjectNode object) {
        ObjectNode copy = object.objectNode();
        copy.setAll(object);
        copy.remove(List.of("apiVersion", "kind"));
        return json(copy);
    }

    // The managedFields are often half of the text, and no plugin reads them.
    private static String json(ObjectNode object) {
        if (!object.path("metadata").has(MANAGED_FIELDS)) {
            return object.toString();
        }
        ObjectNode metadata = object.objectNode();
        metadata.setAll((ObjectNode) object.path("metadata"));
        metadata.remove(MANAGED_FIELDS);
        ObjectNode copy = object.objectNode();
        copy.setAll(object);
        copy.set("metadata", metadata);
        return copy.toString();
    }
}
