// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.CloudDisk;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Container;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;

/**
 * Makes the objects that scheduling reads from trees of JSON or YAML.
 *
 * <p>It is lenient where the API grows: fields that it does not know are passed over, in every place, and what is absent or
 * null is empty. A value of the wrong type is an {@link ObjectDecodeException}.
 *
 * <p>Pods of one template are alike in nearly everything. A decoder gives equal parts of the objects that it makes the same
 * instance, above all the {@link PodSpec}, for as long as one of these objects is in use. So a cluster's objects should
 * come from one decoder. Safe for use by several threads.
 */
public final class ObjectDecoder {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final String MANAGED_FIELDS = "managedFields";
    private static final List<String> CONTAINER_STATUSES = List.of("containerStatuses", "initContainerStatuses");
    private static final String SIBILANT_ENDING = ".*(s|x|z|ch|sh)";
    private static final Set<String> PLURAL_ALREADY = Set.of("Endpoints");

    /** Sources of volumes, of pods' own and of PersistentVolumes. */
    private static final Map<String, CloudDisk.Type> CLOUD_DISKS = Map.of(
            "awsElasticBlockStore", CloudDisk.Type.AWS_ELASTIC_BLOCK_STORE,
            "gcePersistentDisk", CloudDisk.Type.GCE_PERSISTENT_DISK,
            "azureDisk", CloudDisk.Type.AZURE_DISK,
            "azureFile", CloudDisk.Type.AZURE_FILE,
            "cinder", CloudDisk.Type.CINDER,
            "portworxVolume", CloudDisk.Type.PORTWORX,
            "vsphereVolume", CloudDisk.Type.VSPHERE);

    private static final int TEXT_SLOTS = 1 << 14;
    private static final int LONGEST_SHARED_TEXT = 128;

    // One table for values of all types: an equal value is one of the same type, or an empty collection.
    private final Interner<Object> values = Interners.newWeakInterner();
    // Texts are too small and too many for weak references: a slot keeps the last one that fell into it.
    private final AtomicReferenceArray<String> texts = new AtomicReferenceArray<>(TEXT_SLOTS);

    private final DeviceDecoder devices = new DeviceDecoder(this::nodeSelector, this::condition, this::text);

    /** A decoder that has seen nothing yet. */
    public ObjectDecoder() {}

    /**
     * The kind of an object by its {@code apiVersion} and {@code kind}. Of a kind without a type of its own the plural is
     * guessed, and it counts as one with namespaces unless Kubernetes itself has it without.
     *
     * @throws ObjectDecodeException if the object does not name its kind
     */
    public static ObjectKind<?> kindOf(ObjectNode object) {
        String apiVersion = named(object, "apiVersion", "v1");
        String kind = named(object, "kind", "Pod");
        for (ObjectKind<?> typed : ObjectKind.TYPED) {
            if (typed.kind().equals(kind) && typed.apiVersion().equals(apiVersion)) {
                return typed;
            }
        }
        return otherKind(object, apiVersion, kind);
    }

    private static ObjectKind<OtherObject> otherKind(ObjectNode object, String apiVersion, String kind) {
        boolean namespaced = !ObjectKey.of(object).isClusterScoped();
        return ObjectKind.other(apiVersion, kind, plural(kind), namespaced);
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
        if (PLURAL_ALREADY.contains(kind)) {
            return name;
        }
        if (name.matches(SIBILANT_ENDING)) {
            return name + "es";
        }
        return name.matches(".*[^aeiou]y") ? name.substring(0, name.length() - 1) + "ies" : name + "s";
    }

    /**
     * An object of whatever kind it says it is.
     *
     * @throws ObjectDecodeException if it does not name its kind, or a value in it is not what its type demands
     */
    public ClusterObject decode(ObjectNode object) {
        return decode(kindOf(object), object, false);
    }

    /**
     * An object of a kind, whatever it says itself.
     *
     * @param kind the kind
     * @param object the object
     * @param podJson whether a waiting pod keeps its JSON text
     * @throws ObjectDecodeException if a value in it is not what its type demands
     */
    public <T extends ClusterObject> T decode(ObjectKind<T> kind, ObjectNode object, boolean podJson) {
        Object decoded;
        if (kind.type() == Pod.class) {
            decoded = pod(object, podJson);
        } else if (kind.type() == Node.class) {
            decoded = node(object);
        } else if (kind.type() == Namespace.class) {
            decoded = new Namespace(metadata(Located.root(object)));
        } else if (kind.type() == Service.class) {
            decoded = service(Located.root(object));
        } else if (kind.type() == ReplicationController.class) {
            decoded = replicationController(Located.root(object));
        } else if (kind.type() == ReplicaSet.class) {
            decoded = replicaSet(Located.root(object));
        } else if (kind.type() == StatefulSet.class) {
            decoded = statefulSet(Located.root(object));
        } else if (kind.type() == PersistentVolume.class) {
            decoded = persistentVolume(Located.root(object));
        } else if (kind.type() == PersistentVolumeClaim.class) {
            decoded = persistentVolumeClaim(Located.root(object));
        } else if (kind.type() == StorageClass.class) {
            decoded = storageClass(Located.root(object));
        } else if (kind.type() == CsiNode.class) {
            decoded = csiNode(Located.root(object));
        } else if (kind.type() == CsiDriver.class) {
            decoded = csiDriver(Located.root(object));
        } else if (kind.type() == CsiStorageCapacity.class) {
            decoded = csiStorageCapacity(Located.root(object));
        } else if (kind.type() == VolumeAttachment.class) {
            decoded = volumeAttachment(Located.root(object));
        } else if (kind.type() == ResourceClaim.class) {
            Located root = Located.root(object);
            decoded = devices.claim(metadata(root), root);
        } else if (kind.type() == ResourceSlice.class) {
            Located root = Located.root(object);
            decoded = devices.slice(metadata(root), root);
        } else if (kind.type() == DeviceClass.class) {
            Located root = Located.root(object);
            decoded = devices.deviceClass(metadata(root), root);
        } else if (kind.type() == DeviceTaintRule.class) {
            Located root = Located.root(object);
            decoded = devices.taintRule(metadata(root), root);
        } else if (kind.type() == PodDisruptionBudget.class) {
            decoded = podDisruptionBudget(Located.root(object));
        } else if (kind.type() == OtherObject.class) {
            ObjectKind<OtherObject> other =
                    ObjectKind.other(kind.apiVersion(), kind.kind(), kind.plural(), kind.namespaced());
            decoded = new OtherObject(shared(other), metadata(Located.root(object)), json(object));
        } else {
            throw new IllegalArgumentException(
                    "kind: " + kind + " (expected: one of ObjectKind.TYPED, or one without a type)");
        }
        return kind.type().cast(decoded);
    }

    /**
     * A pod.
     *
     * @param object the pod's tree
     * @param keepJson whether the pod keeps its JSON text if it waits for a node
     * @throws ObjectDecodeException if a value in it is not what its type demands
     */
    public Pod pod(ObjectNode object, boolean keepJson) {
        Located root = Located.root(object);
        ObjectMeta metadata = metadata(root);
        Located spec = root.object("spec");
        Pod pod = Pod.of(metadata, shared(spec(spec))).withStatus(status(root.object("status")));
        String nodeName = spec.text("nodeName");
        if (!nodeName.isEmpty()) {
            return pod.withNode(text(nodeName));
        }
        return keepJson ? pod.withJson(json(object)) : pod;
    }

    /**
     * A node.
     *
     * @param object the node's tree
     * @throws ObjectDecodeException if a value in it is not what its type demands
     */
    public Node node(ObjectNode object) {
        Located root = Located.root(object);
        Located spec = root.object("spec");
        Located status = root.object("status");
        return Node.of(metadata(root))
                .unschedulable(spec.flag("unschedulable"))
                .taints(shared(spec.list("taints", this::taint)))
                .allocatable(quantities(status, "allocatable"))
                .images(shared(status.list("images", this::image)))
                .conditions(conditions(status))
                .declaredFeatures(shared(status.texts("declaredFeatures")))
                .build();
    }

    private Service service(Located root) {
        return new Service(metadata(root), textMap(root.object("spec"), "selector"));
    }

    private ReplicationController replicationController(Located root) {
        return new ReplicationController(metadata(root), textMap(root.object("spec"), "selector"));
    }

    private ReplicaSet replicaSet(Located root) {
        return new ReplicaSet(metadata(root), root.object("spec").optional("selector", this::labelSelector));
    }

    private StatefulSet statefulSet(Located root) {
        return new StatefulSet(metadata(root), root.object("spec").optional("selector", this::labelSelector));
    }

    private PodDisruptionBudget podDisruptionBudget(Located root) {
        Located status = root.object("status");
        return new PodDisruptionBudget(
                metadata(root),
                root.object("spec").optional("selector", this::labelSelector),
                status.number("disruptionsAllowed"),
                status.textMap("disruptedPods", this::text).keySet());
    }

    private Taint taint(Located taint) {
        return shared(new Taint(taint.text("key"), taint.text("value"), taint.text("effect")));
    }

    private ContainerImage image(Located image) {
        return shared(new ContainerImage(image.texts("names"), image.longNumber("sizeBytes")));
    }

    private Map<String, String> conditions(Located status) {
        Map<String, String> byType = new LinkedHashMap<>();
        status.list("conditions", condition -> Map.entry(condition.text("type"), condition.text("status")))
                .forEach(condition -> byType.put(condition.getKey(), condition.getValue()));
        return shared(Map.copyOf(byType));
    }

    private ObjectMeta metadata(Located root) {
        Located metadata = root.object("metadata");
        ObjectMeta.Builder result = ObjectMeta.named(metadata.text("name"))
                .namespace(text(metadata.text("namespace")))
                .uid(metadata.text("uid"))
                .resourceVersion(metadata.text("resourceVersion"))
                .generation(metadata.longNumber("generation"))
                .labels(textMap(metadata, "labels"))
                .annotations(annotations(metadata))
                .ownerReferences(shared(metadata.list("ownerReferences", this::owner)));
        Instant created = metadata.time("creationTimestamp");
        if (created != null) {
            result.creationTimestamp(created);
        }
        Instant deleted = metadata.time("deletionTimestamp");
        if (deleted != null) {
            result.deletionTimestamp(deleted);
        }
        return result.build();
    }

    private Map<String, String> annotations(Located metadata) {
        Map<String, String> annotations = metadata.textMap("annotations", this::text);
        if (annotations.containsKey(LAST_APPLIED)) {
            Map<String, String> rest = new LinkedHashMap<>(annotations);
            rest.remove(LAST_APPLIED);
            annotations = Map.copyOf(rest);
        }
        return shared(annotations);
    }

    private OwnerReference owner(Located owner) {
        return new OwnerReference(
                text(owner.text("apiVersion")),
                text(owner.text("kind")),
                owner.text("name"),
                owner.text("uid"),
                owner.flag("controller"));
    }

    private PodSpec spec(Located spec) {
        Located resources = spec.object("resources");
        return PodSpec.builder()
                .containers(shared(spec.list("containers", this::container)))
                .initContainers(shared(spec.list("initContainers", this::container)))
                .overhead(quantities(spec, "overhead"))
                .podRequests(quantities(resources, "requests"))
                .podLimits(quantities(resources, "limits"))
                .nodeSelector(textMap(spec, "nodeSelector"))
                .affinity(shared(affinity(spec.object("affinity"))))
                .tolerations(shared(spec.list("tolerations", this::toleration)))
                .topologySpreadConstraints(
                        shared(spec.list("topologySpreadConstraints", this::topologySpreadConstraint)))
                .priority(spec.number("priority"))
                .preemptionPolicy(text(spec.text("preemptionPolicy")))
                .schedulerName(text(spec.text("schedulerName", PodSpec.DEFAULT_SCHEDULER)))
                .schedulingGates(shared(spec.list("schedulingGates", gate -> gate.text("name"))))
                .hostNetwork(spec.flag("hostNetwork"))
                .hostUsers(!spec.has("hostUsers") || spec.flag("hostUsers"))
                .restartsAllContainers(restartsAllContainers(spec))
                .resourceClaims(shared(spec.list("resourceClaims", this::resourceClaim)))
                .imageVolumes(shared(imageVolumes(spec)))
                .volumes(shared(volumes(spec)))
                .build();
    }

    private static List<String> imageVolumes(Located spec) {
        List<String> images = new ArrayList<>(
                spec.list("volumes", volume -> volume.object("image").text("reference")));
        images.removeIf(String::isEmpty);
        return List.copyOf(images);
    }

    private List<Volume> volumes(Located spec) {
        List<Volume> volumes = new ArrayList<>(0);
        for (Optional<Volume> volume : spec.list("volumes", this::volume)) {
            volume.ifPresent(volumes::add);
        }
        return List.copyOf(volumes);
    }

    private Optional<Volume> volume(Located volume) {
        return volumeSource(volume).map(source -> shared(new Volume(text(volume.text("name")), source)));
    }

    private Optional<Volume.Source> volumeSource(Located volume) {
        if (volume.has("persistentVolumeClaim")) {
            return Optional.of(
                    new Volume.Claim(volume.object("persistentVolumeClaim").text("claimName")));
        }
        if (volume.has("ephemeral")) {
            return Optional.of(new Volume.EphemeralClaim());
        }
        if (volume.has("iscsi")) {
            Located iscsi = volume.object("iscsi");
            return Optional.of(new Volume.Iscsi(iscsi.text("iqn"), iscsi.flag("readOnly")));
        }
        if (volume.has("rbd")) {
            Located rbd = volume.object("rbd");
            return Optional.of(
                    new Volume.Rbd(rbd.texts("monitors"), rbd.text("pool"), rbd.text("image"), rbd.flag("readOnly")));
        }
        if (volume.has("csi")) {
            return Optional.of(new Volume.InlineCsi(text(volume.object("csi").text("driver"))));
        }
        return cloudDisk(volume).map(disk -> disk);
    }

    private static Optional<CloudDisk> cloudDisk(Located volume) {
        for (Map.Entry<String, CloudDisk.Type> field : CLOUD_DISKS.entrySet()) {
            if (volume.has(field.getKey())) {
                Located disk = volume.object(field.getKey());
                String id = switch (field.getValue()) {
                    case AWS_ELASTIC_BLOCK_STORE, CINDER, PORTWORX -> disk.text("volumeID");
                    case GCE_PERSISTENT_DISK -> disk.text("pdName");
                    case AZURE_DISK -> disk.text("diskURI");
                    case AZURE_FILE -> disk.text("shareName");
                    case VSPHERE -> disk.text("volumePath");
                };
                return Optional.of(new CloudDisk(field.getValue(), id, disk.text("kind"), disk.flag("readOnly")));
            }
        }
        return Optional.empty();
    }

    private PersistentVolume persistentVolume(Located root) {
        Located spec = root.object("spec");
        PersistentVolume.Builder result = PersistentVolume.of(metadata(root))
                .capacity(quantities(spec, "capacity").getOrDefault("storage", Quantity.ZERO))
                .accessModes(shared(spec.texts("accessModes")))
                .storageClassName(text(spec.text("storageClassName")))
                .volumeMode(text(spec.text("volumeMode", PersistentVolumeClaim.FILESYSTEM)))
                .attributesClassName(text(spec.text("volumeAttributesClassName")))
                .phase(text(root.object("status").text("phase")));
        spec.object("nodeAffinity")
                .optional("required", this::nodeSelector)
                .ifPresent(selector -> result.nodeAffinity(shared(selector)));
        spec.optional(
                        "claimRef",
                        claim -> new PersistentVolume.ClaimReference(
                                text(claim.text("namespace")), claim.text("name"), claim.text("uid")))
                .ifPresent(result::claim);
        spec.optional("csi", csi -> new PersistentVolume.CsiSource(text(csi.text("driver")), csi.text("volumeHandle")))
                .ifPresent(result::csi);
        cloudDisk(spec).ifPresent(result::cloudDisk);
        return result.build();
    }

    private PersistentVolumeClaim persistentVolumeClaim(Located root) {
        Located spec = root.object("spec");
        PersistentVolumeClaim.Builder result = PersistentVolumeClaim.of(metadata(root))
                .accessModes(shared(spec.texts("accessModes")))
                .storageClassName(text(spec.text("storageClassName")))
                .volumeMode(text(spec.text("volumeMode", PersistentVolumeClaim.FILESYSTEM)))
                .attributesClassName(text(spec.text("volumeAttributesClassName")))
                .volumeName(spec.text("volumeName"))
                .phase(text(root.object("status").text("phase")));
        Quantity request = quantities(spec.object("resources"), "requests").get("storage");
        if (request != null) {
            result.request(request);
        }
        spec.optional("selector", this::labelSelector).ifPresent(selector -> result.selector(shared(selector)));
        return result.build();
    }

    private StorageClass storageClass(Located root) {
        return new StorageClass(
                metadata(root),
                text(root.text("provisioner")),
                text(root.text("volumeBindingMode")),
                root.list("allowedTopologies", this::topologyTerm));
    }

    private NodeSelector.Term topologyTerm(Located term) {
        return new NodeSelector.Term(
                term.list(
                        "matchLabelExpressions",
                        label -> new NodeSelector.Requirement(text(label.text("key")), "In", label.texts("values"))),
                List.of());
    }

    private CsiNode csiNode(Located root) {
        return new CsiNode(metadata(root), shared(root.object("spec").list("drivers", this::csiNodeDriver)));
    }

    private CsiNode.Driver csiNodeDriver(Located driver) {
        Located allocatable = driver.object("allocatable");
        return shared(new CsiNode.Driver(
                text(driver.text("name")),
                shared(driver.texts("topologyKeys")),
                allocatable.has("count") ? OptionalInt.of(allocatable.number("count")) : OptionalInt.empty()));
    }

    private CsiDriver csiDriver(Located root) {
        Located spec = root.object("spec");
        return new CsiDriver(metadata(root), spec.flag("storageCapacity"), spec.flag("preventPodSchedulingIfMissing"));
    }

    private CsiStorageCapacity csiStorageCapacity(Located root) {
        return new CsiStorageCapacity(
                metadata(root),
                text(root.text("storageClassName")),
                root.optionalQuantity("capacity"),
                root.optionalQuantity("maximumVolumeSize"),
                root.optional("nodeTopology", this::labelSelector).map(this::shared));
    }

    private VolumeAttachment volumeAttachment(Located root) {
        Located spec = root.object("spec");
        return new VolumeAttachment(
                metadata(root),
                text(spec.text("attacher")),
                text(spec.text("nodeName")),
                spec.object("source").text("persistentVolumeName"));
    }

    private static boolean restartsAllContainers(Located spec) {
        for (String field : List.of("containers", "initContainers")) {
            for (boolean restarts : spec.list(field, ObjectDecoder::restartsAll)) {
                if (restarts) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean restartsAll(Located container) {
        return container.list("restartPolicyRules", rule -> rule.text("action")).contains("RestartAllContainers");
    }

    private Container container(Located container) {
        Located resources = container.object("resources");
        return shared(new Container(
                text(container.text("name")),
                text(container.text("image")),
                quantities(resources, "requests"),
                quantities(resources, "limits"),
                shared(hostPorts(container)),
                text(container.text("restartPolicy"))));
    }

    private static List<HostPort> hostPorts(Located container) {
        List<HostPort> ports = new ArrayList<>(container.list(
                "ports", port -> new HostPort(port.text("hostIP"), port.text("protocol"), port.number("hostPort"))));
        ports.removeIf(port -> port.port() <= 0);
        return List.copyOf(ports);
    }

    private Affinity affinity(Located affinity) {
        return new Affinity(
                affinity.optional("nodeAffinity", this::nodeAffinity).orElse(NodeAffinity.NONE),
                affinity.optional("podAffinity", this::podAffinity),
                affinity.optional("podAntiAffinity", this::podAffinity));
    }

    private NodeAffinity nodeAffinity(Located affinity) {
        return new NodeAffinity(
                affinity.optional("requiredDuringSchedulingIgnoredDuringExecution", this::nodeSelector),
                affinity.list(
                        "preferredDuringSchedulingIgnoredDuringExecution",
                        wish -> new NodeAffinity.Preferred(
                                wish.number("weight"), nodeSelectorTerm(wish.object("preference")))));
    }

    private NodeSelector nodeSelector(Located selector) {
        return new NodeSelector(selector.list("nodeSelectorTerms", this::nodeSelectorTerm));
    }

    private NodeSelector.Term nodeSelectorTerm(Located term) {
        return new NodeSelector.Term(
                term.list("matchExpressions", this::nodeRequirement), term.list("matchFields", this::nodeRequirement));
    }

    private NodeSelector.Requirement nodeRequirement(Located requirement) {
        return new NodeSelector.Requirement(
                text(requirement.text("key")), text(requirement.text("operator")), requirement.texts("values"));
    }

    private PodAffinity podAffinity(Located affinity) {
        return new PodAffinity(
                affinity.list("requiredDuringSchedulingIgnoredDuringExecution", this::podAffinityTerm),
                affinity.list(
                        "preferredDuringSchedulingIgnoredDuringExecution",
                        wish -> new PodAffinityTerm.Weighted(
                                wish.number("weight"), podAffinityTerm(wish.object("podAffinityTerm")))));
    }

    private PodAffinityTerm podAffinityTerm(Located term) {
        return new PodAffinityTerm(
                term.optional("labelSelector", this::labelSelector),
                term.texts("namespaces"),
                term.optional("namespaceSelector", this::labelSelector),
                text(term.text("topologyKey")));
    }

    private LabelSelector labelSelector(Located selector) {
        return new LabelSelector(
                textMap(selector, "matchLabels"), selector.list("matchExpressions", this::labelRequirement));
    }

    private LabelSelector.Requirement labelRequirement(Located requirement) {
        return new LabelSelector.Requirement(
                text(requirement.text("key")), text(requirement.text("operator")), requirement.texts("values"));
    }

    private Toleration toleration(Located toleration) {
        return shared(new Toleration(
                toleration.text("key"),
                toleration.text("operator"),
                toleration.text("value"),
                toleration.text("effect")));
    }

    private TopologySpreadConstraint topologySpreadConstraint(Located constraint) {
        return new TopologySpreadConstraint(
                constraint.number("maxSkew"),
                text(constraint.text("topologyKey")),
                text(constraint.text("whenUnsatisfiable")),
                constraint.optional("labelSelector", this::labelSelector),
                constraint.has("minDomains") ? OptionalInt.of(constraint.number("minDomains")) : OptionalInt.empty(),
                text(constraint.text("nodeAffinityPolicy")),
                text(constraint.text("nodeTaintsPolicy")),
                constraint.texts("matchLabelKeys"));
    }

    private PodSpec.ResourceClaim resourceClaim(Located claim) {
        return new PodSpec.ResourceClaim(
                claim.text("name"), claim.text("resourceClaimName"), claim.text("resourceClaimTemplateName"));
    }

    private PodStatus status(Located status) {
        PodStatus.Builder result = PodStatus.builder()
                .phase(text(status.text("phase")))
                .nominatedNodeName(text(status.text("nominatedNodeName")))
                .conditions(shared(status.list("conditions", this::condition)))
                .containerResources(shared(containerResources(status)))
                .resourceClaimStatuses(status.list(
                        "resourceClaimStatuses",
                        claim -> new PodStatus.ClaimStatus(claim.text("name"), claim.text("resourceClaimName"))));
        if (status.has("resources")) {
            result.podResources(shared(resources("", status)));
        }
        Instant started = status.time("startTime");
        if (started != null) {
            result.startTime(started);
        }
        return result.build();
    }

    private PodCondition condition(Located condition) {
        return new PodCondition(
                text(condition.text("type")),
                text(condition.text("status")),
                text(condition.text("reason")),
                condition.text("message"),
                condition.longNumber("observedGeneration"));
    }

    private List<PodStatus.ContainerResources> containerResources(Located status) {
        List<PodStatus.ContainerResources> result = new ArrayList<>();
        for (String field : CONTAINER_STATUSES) {
            status.list(field, this::containerStatus).forEach(reported -> reported.ifPresent(result::add));
        }
        return List.copyOf(result);
    }

    // kube-scheduler counts what a status says, also that of the pod as a whole, only if that has resources.
    private Optional<PodStatus.ContainerResources> containerStatus(Located status) {
        return status.has("resources")
                ? Optional.of(shared(resources(text(status.text("name")), status)))
                : Optional.empty();
    }

    private PodStatus.ContainerResources resources(String name, Located status) {
        return new PodStatus.ContainerResources(
                name, quantities(status.object("resources"), "requests"), quantities(status, "allocatedResources"));
    }

    private Map<String, String> textMap(Located object, String field) {
        return shared(object.textMap(field, this::text));
    }

    private Map<String, Quantity> quantities(Located object, String field) {
        return shared(object.quantities(field, this::text));
    }

    @SuppressWarnings("unchecked")
    private <T> T shared(T value) {
        return (T) values.intern(value);
    }

    private String text(String text) {
        if (text.length() > LONGEST_SHARED_TEXT) {
            return text;
        }
        int hash = text.hashCode();
        int slot = (hash ^ hash >>> 16) & TEXT_SLOTS - 1;
        String known = texts.getPlain(slot);
        if (text.equals(known)) {
            return known;
        }
        texts.setPlain(slot, text);
        return text;
    }

    // Who manages which field is often half of the text, and nothing that schedules reads it.
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
