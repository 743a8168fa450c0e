// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.Fields;

/**
 * Fills in what an object leaves out, as kube-apiserver v1.36 does with its default feature gates.
 *
 * <p>One thing differs: a device taint's {@code timeAdded} stays absent, since its default is the time of the request.
 */
public final class Defaulting {

    private static final int OCTAL_0644 = 420;
    private static final int MILLI = 3;

    private static final Map<String, Consumer<Fields>> BY_KIND = Map.ofEntries(
            entry("v1/PodTemplate", template -> podTemplate(template.struct("template"))),
            entry("v1/Node", Defaulting::node),
            entry("v1/Namespace", Defaulting::namespace),
            entry("v1/PersistentVolume", Defaulting::persistentVolume),
            entry("v1/PersistentVolumeClaim", Defaulting::persistentVolumeClaim),
            entry("v1/Service", Defaulting::service),
            entry("v1/ReplicationController", Defaulting::replicationController),
            entry("apps/v1/ReplicaSet", Defaulting::replicaSet),
            entry("apps/v1/Deployment", Defaulting::deployment),
            entry("apps/v1/StatefulSet", Defaulting::statefulSet),
            entry("apps/v1/DaemonSet", Defaulting::daemonSet),
            entry("storage.k8s.io/v1/StorageClass", Defaulting::storageClass),
            entry("storage.k8s.io/v1/CSIDriver", Defaulting::csiDriver),
            entry("storage.k8s.io/v1/VolumeAttachment", Defaulting::volumeAttachment),
            entry("scheduling.k8s.io/v1/PriorityClass", Defaulting::priorityClass),
            entry("scheduling.k8s.io/v1alpha2/PodGroup", Defaulting::podGroup),
            entry("resource.k8s.io/v1/ResourceClaim", Defaulting::resourceClaim),
            entry("resource.k8s.io/v1beta2/ResourceClaim", Defaulting::resourceClaim),
            entry("resource.k8s.io/v1beta1/ResourceClaim", Defaulting::resourceClaim),
            entry("resource.k8s.io/v1/ResourceClaimTemplate", Defaulting::resourceClaimTemplate),
            entry("resource.k8s.io/v1beta2/ResourceClaimTemplate", Defaulting::resourceClaimTemplate),
            entry("resource.k8s.io/v1beta1/ResourceClaimTemplate", Defaulting::resourceClaimTemplate),
            entry("resource.k8s.io/v1/ResourceSlice", Defaulting::resourceSlice),
            entry("resource.k8s.io/v1beta2/ResourceSlice", Defaulting::resourceSlice),
            entry("resource.k8s.io/v1beta1/ResourceSlice", Defaulting::resourceSliceV1beta1));

    /** Sources of volumes, of pods' own and of PersistentVolumes. */
    private static final Map<String, Consumer<Fields>> VOLUME_SOURCES = Map.ofEntries(
            entry("hostPath", source -> source.whenAbsent("type", "")),
            entry("secret", source -> source.whenAbsent("defaultMode", OCTAL_0644)),
            entry("configMap", source -> source.whenAbsent("defaultMode", OCTAL_0644)),
            entry("downwardAPI", source -> {
                source.whenAbsent("defaultMode", OCTAL_0644);
                downwardApiItems(source);
            }),
            entry("projected", Defaulting::projected),
            entry("ephemeral", Defaulting::ephemeral),
            entry(
                    "image",
                    source -> source.whenBlank(
                            "pullPolicy", pullPolicy(source.node().path("reference")))),
            entry("iscsi", source -> source.whenBlank("iscsiInterface", "default")),
            entry("rbd", source -> {
                source.whenBlank("pool", "rbd");
                source.whenBlank("user", "admin");
                source.whenBlank("keyring", "/etc/ceph/keyring");
            }),
            entry("azureDisk", source -> {
                source.whenAbsent("cachingMode", "ReadWrite");
                source.whenAbsent("fsType", "ext4");
                source.whenAbsent("readOnly", false);
                source.whenAbsent("kind", "Shared");
            }),
            entry("scaleIO", source -> {
                source.whenBlank("storageMode", "ThinProvisioned");
                source.whenBlank("fsType", "xfs");
            }));

    private static final List<String> PROBES = List.of("livenessProbe", "readinessProbe", "startupProbe");

    private static final String PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    private static final String HOST_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
    private static final Pattern IMAGE = Pattern.compile("(?![a-f0-9]{64}$)"
            + "(?:(?:" + HOST_PART + "(?:\\." + HOST_PART + ")*|\\[[a-fA-F0-9:]+])(?::[0-9]+)?/)?"
            + PATH_PART + "(?:/" + PATH_PART + ")*"
            + "(?::(?<tag>\\w[\\w.-]{0,127}))?"
            + "(?<digest>@(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}))?");

    private Defaulting() {}

    /** As {@link #apply(ObjectNode, FeatureGates)}, with the features that are on by default. */
    public static void apply(ObjectNode object) {
        apply(object, FeatureGates.DEFAULTS);
    }

    /**
     * Fills in the defaults of the object, in place. Kinds without defaults, and unknown ones, are left as they are.
     *
     * @param object the object
     * @param features which features are on
     * @throws ClusterFileException if a field that matters here has a shape that the API server would refuse
     */
    public static void apply(ObjectNode object, FeatureGates features) {
        String kind =
                object.path("apiVersion").asText() + "/" + object.path("kind").asText();
        if (kind.equals("v1/Pod")) {
            pod(Fields.of(object), features);
        } else {
            BY_KIND.getOrDefault(kind, unknown -> {}).accept(Fields.of(object));
        }
    }

    private static void pod(Fields pod, FeatureGates features) {
        Fields spec = pod.struct("spec");
        spec.each("containers").forEach(Defaulting::requestsFromLimits);
        spec.each("initContainers").forEach(Defaulting::requestsFromLimits);
        if (features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES)) {
            spec.pointer("resources").ifPresent(resources -> {
                hugePageLimitsOfPod(spec, resources);
                requestsOfPod(spec, resources);
            });
        }
        spec.whenAbsent("enableServiceLinks", true);
        if (spec.node().path("hostNetwork").asBoolean()) {
            spec.each("containers").forEach(Defaulting::hostPorts);
            spec.each("initContainers").forEach(Defaulting::hostPorts);
        }
        podSpec(spec);
        pod.pointer("status").ifPresent(Defaulting::podStatus);
    }

    private static void requestsFromLimits(Fields container) {
        container
                .pointer("resources")
                .ifPresent(resources -> resources
                        .pointer("limits")
                        .ifPresent(limits -> addMissing(resources.struct("requests"), limits)));
    }

    private static void addMissing(Fields resources, Fields defaults) {
        defaults.node().properties().forEach(entry -> resources.node().putIfAbsent(entry.getKey(), entry.getValue()));
    }

    private static void hugePageLimitsOfPod(Fields spec, Fields resources) {
        if (resources.isEmpty("limits") && resources.isEmpty("requests")) {
            return;
        }
        JsonNode requests = resources.node().path("requests");
        aggregated(spec, "limits").forEach((name, limit) -> {
            if (isHugePages(name) && !requests.has(name)) {
                resources.struct("limits").node().putIfAbsent(name, text(limit));
            }
        });
    }

    private static void requestsOfPod(Fields spec, Fields resources) {
        if (resources.isEmpty("limits")) {
            return;
        }
        ObjectNode requests = resources.struct("requests").node();
        aggregated(spec, "requests").forEach((name, request) -> {
            if (isCpuOrMemory(name)) {
                requests.putIfAbsent(name, text(request));
            }
        });
        resources.struct("limits").node().properties().forEach(limit -> {
            if (isCpuOrMemory(limit.getKey()) || isHugePages(limit.getKey())) {
                requests.putIfAbsent(limit.getKey(), limit.getValue());
            }
        });
    }

    private static boolean isCpuOrMemory(String resource) {
        return resource.equals("cpu") || resource.equals("memory");
    }

    private static boolean isHugePages(String resource) {
        return resource.startsWith("hugepages-");
    }

    private static JsonNode text(Quantity quantity) {
        return JsonNodeFactory.instance.textNode(quantity.toString());
    }

    /** What the pod's containers need together: the larger of its running phase and of each step of its initialisation. */
    private static Map<String, Quantity> aggregated(Fields spec, String requestsOrLimits) {
        Map<String, Quantity> running = new LinkedHashMap<>();
        Map<String, Quantity> sidecars = new LinkedHashMap<>();
        Map<String, Quantity> initialising = new LinkedHashMap<>();
        for (Fields container : spec.each("containers")) {
            add(running, amounts(container, requestsOrLimits));
        }
        for (Fields container : spec.each("initContainers")) {
            Map<String, Quantity> step = amounts(container, requestsOrLimits);
            if (container.holds("restartPolicy", "Always")) {
                add(running, step);
                add(sidecars, step);
                step = sidecars;
            } else {
                add(step, sidecars);
            }
            raise(initialising, step);
        }
        raise(running, initialising);
        return running;
    }

    private static Map<String, Quantity> amounts(Fields container, String requestsOrLimits) {
        Map<String, Quantity> amounts = new LinkedHashMap<>();
        container
                .pointer("resources")
                .flatMap(resources -> resources.pointer(requestsOrLimits))
                .ifPresent(list ->
                        list.node().fieldNames().forEachRemaining(name -> amounts.put(name, list.quantity(name))));
        return amounts;
    }

    private static void add(Map<String, Quantity> sum, Map<String, Quantity> amounts) {
        amounts.forEach((name, amount) -> sum.merge(name, amount, Quantity::plus));
    }

    private static void raise(Map<String, Quantity> highest, Map<String, Quantity> amounts) {
        amounts.forEach((name, amount) -> highest.merge(name, amount, Quantity::max));
    }

    private static void hostPorts(Fields container) {
        for (Fields port : container.each("ports")) {
            if (port.isBlank("hostPort") && !port.isBlank("containerPort")) {
                port.node().set("hostPort", port.node().path("containerPort"));
            }
        }
    }

    private static void podTemplate(Fields template) {
        podSpec(template.struct("spec"));
    }

    private static void podSpec(Fields spec) {
        spec.whenBlank("dnsPolicy", "ClusterFirst");
        spec.whenBlank("restartPolicy", "Always");
        spec.whenAbsent("securityContext", JsonNodeFactory.instance.objectNode());
        spec.whenAbsent("terminationGracePeriodSeconds", 30);
        spec.whenBlank("schedulerName", "default-scheduler");
        spec.each("volumes").forEach(Defaulting::volume);
        spec.each("initContainers").forEach(Defaulting::container);
        spec.each("containers").forEach(Defaulting::container);
        spec.each("ephemeralContainers").forEach(Defaulting::container);
        roundUp(spec, "overhead");
        spec.pointer("resources").ifPresent(Defaulting::roundUpRequirements);
    }

    private static void volume(Fields volume) {
        volumeSource(volume);
        boolean hasSource = volume.node().properties().stream()
                .anyMatch(field ->
                        !field.getKey().equals("name") && !field.getValue().isNull());
        if (!hasSource) {
            volume.struct("emptyDir");
        }
    }

    private static void volumeSource(Fields volume) {
        VOLUME_SOURCES.forEach((name, defaults) -> volume.pointer(name).ifPresent(defaults));
    }

    private static void projected(Fields projected) {
        projected.whenAbsent("defaultMode", OCTAL_0644);
        for (Fields source : projected.each("sources")) {
            source.pointer("downwardAPI").ifPresent(Defaulting::downwardApiItems);
            source.pointer("serviceAccountToken").ifPresent(token -> token.whenAbsent("expirationSeconds", 3600));
        }
    }

    private static void downwardApiItems(Fields downwardApi) {
        downwardApi.each("items").forEach(Defaulting::fieldRef);
    }

    private static void fieldRef(Fields parent) {
        parent.pointer("fieldRef").ifPresent(selector -> selector.whenBlank("apiVersion", "v1"));
    }

    private static void ephemeral(Fields ephemeral) {
        ephemeral
                .pointer("volumeClaimTemplate")
                .ifPresent(template -> persistentVolumeClaimSpec(template.struct("spec")));
    }

    private static void container(Fields container) {
        container.whenBlank("imagePullPolicy", pullPolicy(container.node().path("image")));
        container.whenBlank("terminationMessagePath", "/dev/termination-log");
        container.whenBlank("terminationMessagePolicy", "File");
        container.each("ports").forEach(port -> port.whenBlank("protocol", "TCP"));
        for (Fields variable : container.each("env")) {
            variable.pointer("valueFrom").ifPresent(source -> {
                fieldRef(source);
                source.pointer("fileKeyRef").ifPresent(file -> file.whenAbsent("optional", false));
            });
        }
        container.pointer("resources").ifPresent(Defaulting::roundUpRequirements);
        PROBES.forEach(name -> container.pointer(name).ifPresent(Defaulting::probe));
        container.pointer("lifecycle").ifPresent(lifecycle -> {
            lifecycle.pointer("postStart").ifPresent(Defaulting::httpGet);
            lifecycle.pointer("preStop").ifPresent(Defaulting::httpGet);
        });
    }

    private static String pullPolicy(JsonNode image) {
        Matcher name = IMAGE.matcher(image.asText(""));
        if (!name.matches()) {
            return "IfNotPresent";
        }
        String tag = name.group("tag");
        boolean latest = tag == null ? name.group("digest") == null : tag.equals("latest");
        return latest ? "Always" : "IfNotPresent";
    }

    private static void probe(Fields probe) {
        probe.whenBlank("timeoutSeconds", 1);
        probe.whenBlank("periodSeconds", 10);
        probe.whenBlank("successThreshold", 1);
        probe.whenBlank("failureThreshold", 3);
        httpGet(probe);
        probe.pointer("grpc").ifPresent(grpc -> grpc.whenAbsent("service", ""));
    }

    private static void httpGet(Fields handler) {
        handler.pointer("httpGet").ifPresent(get -> {
            get.whenBlank("path", "/");
            get.whenBlank("scheme", "HTTP");
        });
    }

    private static void podStatus(Fields status) {
        for (String list : List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
            for (Fields container : status.each(list)) {
                roundUp(container, "allocatedResources");
                container.pointer("resources").ifPresent(Defaulting::roundUpRequirements);
            }
        }
        roundUp(status, "allocatedResources");
        status.pointer("resources").ifPresent(Defaulting::roundUpRequirements);
    }

    private static void roundUpRequirements(Fields requirements) {
        roundUp(requirements, "limits");
        roundUp(requirements, "requests");
    }

    private static void roundUp(Fields parent, String resourceList) {
        parent.pointer(resourceList).ifPresent(list -> {
            for (Map.Entry<String, JsonNode> entry : list.node().properties()) {
                BigDecimal amount = new BigDecimal(list.quantity(entry.getKey()).toString());
                if (amount.scale() > MILLI) {
                    String rounded = amount.setScale(MILLI, RoundingMode.UP).toPlainString();
                    entry.setValue(JsonNodeFactory.instance.textNode(rounded));
                }
            }
        });
    }

    private static void node(Fields node) {
        Fields status = node.struct("status");
        status.pointer("capacity")
                .ifPresent(capacity ->
                        status.whenAbsent("allocatable", capacity.node().deepCopy()));
        roundUp(status, "capacity");
        roundUp(status, "allocatable");
    }

    private static void namespace(Fields namespace) {
        Fields metadata = namespace.struct("metadata");
        if (!metadata.isBlank("name")) {
            metadata.struct("labels")
                    .node()
                    .set("kubernetes.io/metadata.name", metadata.node().path("name"));
        }
        namespace.struct("status").whenBlank("phase", "Active");
    }

    private static void persistentVolume(Fields volume) {
        volume.struct("status").whenBlank("phase", "Pending");
        Fields spec = volume.struct("spec");
        spec.whenBlank("persistentVolumeReclaimPolicy", "Retain");
        spec.whenAbsent("volumeMode", "Filesystem");
        persistentVolumeSpec(spec);
    }

    private static void persistentVolumeSpec(Fields spec) {
        roundUp(spec, "capacity");
        volumeSource(spec);
    }

    private static void persistentVolumeClaim(Fields claim) {
        Fields status = claim.struct("status");
        status.whenBlank("phase", "Pending");
        persistentVolumeClaimSpec(claim.struct("spec"));
        roundUp(status, "capacity");
        roundUp(status, "allocatedResources");
    }

    private static void persistentVolumeClaimSpec(Fields spec) {
        spec.whenAbsent("volumeMode", "Filesystem");
        spec.pointer("resources").ifPresent(Defaulting::roundUpRequirements);
    }

    private static void service(Fields service) {
        Fields spec = service.struct("spec");
        spec.whenBlank("sessionAffinity", "None");
        if (spec.holds("sessionAffinity", "None")) {
            spec.node().remove("sessionAffinityConfig");
        } else if (spec.holds("sessionAffinity", "ClientIP")) {
            spec.struct("sessionAffinityConfig").struct("clientIP").whenAbsent("timeoutSeconds", 10_800);
        }
        spec.whenBlank("type", "ClusterIP");
        for (Fields port : spec.each("ports")) {
            port.whenBlank("protocol", "TCP");
            if (port.isBlank("targetPort")) {
                port.node()
                        .set(
                                "targetPort",
                                port.isAbsent("port")
                                        ? port.node().numberNode(0)
                                        : port.node().path("port"));
            }
        }
        boolean balanced = spec.holds("type", "LoadBalancer");
        boolean nodePort = spec.holds("type", "NodePort");
        boolean clusterIp = spec.holds("type", "ClusterIP");
        if (balanced || nodePort || (clusterIp && !spec.isEmpty("externalIPs"))) {
            spec.whenBlank("externalTrafficPolicy", "Cluster");
        }
        if (balanced || nodePort || clusterIp) {
            spec.whenAbsent("internalTrafficPolicy", "Cluster");
        }
        if (balanced) {
            spec.whenAbsent("allocateLoadBalancerNodePorts", true);
            service.pointer("status")
                    .flatMap(status -> status.pointer("loadBalancer"))
                    .ifPresent(Defaulting::ingressIps);
        }
    }

    private static void ingressIps(Fields loadBalancer) {
        for (Fields ingress : loadBalancer.each("ingress")) {
            if (!ingress.isBlank("ip")) {
                ingress.whenAbsent("ipMode", "VIP");
            }
        }
    }

    private static void replicationController(Fields controller) {
        Fields spec = controller.struct("spec");
        spec.whenAbsent("replicas", 1);
        spec.pointer("template").ifPresent(template -> {
            labelsOf(template).ifPresent(labels -> {
                if (spec.isEmpty("selector")) {
                    spec.node().set("selector", labels.deepCopy());
                }
            });
            labelsFromTemplate(controller, template);
            podTemplate(template);
        });
    }

    private static void labelsFromTemplate(Fields object, Fields template) {
        labelsOf(template).ifPresent(labels -> {
            Fields metadata = object.struct("metadata");
            if (metadata.isEmpty("labels")) {
                metadata.node().set("labels", labels.deepCopy());
            }
        });
    }

    private static Optional<ObjectNode> labelsOf(Fields template) {
        return template.pointer("metadata")
                .flatMap(metadata -> metadata.pointer("labels"))
                .map(Fields::node);
    }

    private static void replicaSet(Fields set) {
        Fields spec = set.struct("spec");
        spec.whenAbsent("replicas", 1);
        podTemplate(spec.struct("template"));
    }

    private static void deployment(Fields deployment) {
        Fields spec = deployment.struct("spec");
        spec.whenAbsent("replicas", 1);
        spec.whenAbsent("revisionHistoryLimit", 10);
        spec.whenAbsent("progressDeadlineSeconds", 600);
        Fields strategy = spec.struct("strategy");
        strategy.whenBlank("type", "RollingUpdate");
        if (strategy.holds("type", "RollingUpdate")) {
            Fields rollingUpdate = strategy.struct("rollingUpdate");
            rollingUpdate.whenAbsent("maxUnavailable", "25%");
            rollingUpdate.whenAbsent("maxSurge", "25%");
        }
        podTemplate(spec.struct("template"));
    }

    private static void statefulSet(Fields set) {
        Fields spec = set.struct("spec");
        spec.whenBlank("podManagementPolicy", "OrderedReady");
        Fields strategy = spec.struct("updateStrategy");
        if (strategy.isBlank("type")) {
            strategy.whenBlank("type", "RollingUpdate");
            strategy.struct("rollingUpdate");
        }
        if (strategy.holds("type", "RollingUpdate")) {
            strategy.pointer("rollingUpdate").ifPresent(rollingUpdate -> rollingUpdate.whenAbsent("partition", 0));
        }
        Fields retention = spec.struct("persistentVolumeClaimRetentionPolicy");
        retention.whenBlank("whenDeleted", "Retain");
        retention.whenBlank("whenScaled", "Retain");
        spec.whenAbsent("replicas", 1);
        spec.whenAbsent("revisionHistoryLimit", 10);
        podTemplate(spec.struct("template"));
        spec.each("volumeClaimTemplates").forEach(Defaulting::persistentVolumeClaim);
    }

    private static void daemonSet(Fields set) {
        Fields spec = set.struct("spec");
        Fields strategy = spec.struct("updateStrategy");
        strategy.whenBlank("type", "RollingUpdate");
        if (strategy.holds("type", "RollingUpdate")) {
            Fields rollingUpdate = strategy.struct("rollingUpdate");
            rollingUpdate.whenAbsent("maxUnavailable", 1);
            rollingUpdate.whenAbsent("maxSurge", 0);
        }
        spec.whenAbsent("revisionHistoryLimit", 10);
        podTemplate(spec.struct("template"));
    }

    private static void storageClass(Fields storageClass) {
        storageClass.whenAbsent("reclaimPolicy", "Delete");
        storageClass.whenAbsent("volumeBindingMode", "Immediate");
    }

    private static void csiDriver(Fields driver) {
        Fields spec = driver.struct("spec");
        spec.whenAbsent("attachRequired", true);
        spec.whenAbsent("podInfoOnMount", false);
        spec.whenAbsent("storageCapacity", false);
        spec.whenAbsent("fsGroupPolicy", "ReadWriteOnceWithFSType");
        spec.whenAbsent("requiresRepublish", false);
        spec.whenAbsent("seLinuxMount", false);
        if (spec.isEmpty("volumeLifecycleModes")) {
            spec.node().putArray("volumeLifecycleModes").add("Persistent");
        }
    }

    private static void volumeAttachment(Fields attachment) {
        attachment
                .struct("spec")
                .struct("source")
                .pointer("inlineVolumeSpec")
                .ifPresent(Defaulting::persistentVolumeSpec);
    }

    private static void priorityClass(Fields priorityClass) {
        priorityClass.whenAbsent("preemptionPolicy", "PreemptLowerPriority");
    }

    private static void podGroup(Fields group) {
        group.struct("spec").whenAbsent("disruptionMode", "Pod");
    }

    private static void resourceClaim(Fields claim) {
        resourceClaimSpec(claim.struct("spec"));
        claim.pointer("status")
                .flatMap(status -> status.pointer("allocation"))
                .flatMap(allocation -> allocation.pointer("devices"))
                .ifPresent(devices -> devices.each("results").forEach(Defaulting::deviceTolerations));
    }

    private static void resourceClaimTemplate(Fields template) {
        resourceClaimSpec(template.struct("spec").struct("spec"));
    }

    private static void resourceClaimSpec(Fields spec) {
        spec.pointer("devices").ifPresent(devices -> {
            for (Fields request : devices.each("requests")) {
                request.pointer("exactly").ifPresent(Defaulting::deviceRequest);
                request.each("firstAvailable").forEach(Defaulting::deviceRequest);
                // Only v1beta1 writes an exact request without "exactly" around it.
                if (!request.isBlank("deviceClassName")) {
                    deviceRequest(request);
                } else {
                    deviceTolerations(request);
                }
            }
        });
    }

    private static void deviceRequest(Fields request) {
        request.whenBlank("allocationMode", "ExactCount");
        if (request.holds("allocationMode", "ExactCount")) {
            request.whenBlank("count", 1);
        }
        deviceTolerations(request);
    }

    private static void deviceTolerations(Fields parent) {
        parent.each("tolerations").forEach(toleration -> toleration.whenBlank("operator", "Equal"));
    }

    private static void resourceSlice(Fields slice) {
        slice.struct("spec").each("devices").forEach(Defaulting::device);
    }

    private static void resourceSliceV1beta1(Fields slice) {
        slice.struct("spec")
                .each("devices")
                .forEach(device -> device.pointer("basic").ifPresent(Defaulting::device));
    }

    private static void device(Fields device) {
        device.values("nodeAllocatableResourceMappings")
                .forEach(mapping -> mapping.whenAbsent("allocationMultiplier", "1"));
    }
}
