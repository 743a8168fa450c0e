// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.KindVersions;

/**
 * The defaults of omitted fields, as kube-apiserver v1.37 sets them.
 *
 * <p>One difference: a device taint's {@code timeAdded} stays absent, since its default is the time of the request.
 */
public final class Defaulting {
    private static final Map<String, Consumer<Fields>> BY_KIND = Map.ofEntries(
            entry("v1/PodTemplate", template -> PodDefaults.podTemplate(template.struct("template"))),
            entry("v1/Node", Defaulting::node),
            entry("v1/Namespace", Defaulting::namespace),
            entry("v1/LimitRange", Defaulting::limitRange),
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
            entry("scheduling.k8s.io/v1beta1/PodGroup", Defaulting::podGroup),
            entry("scheduling.k8s.io/v1alpha3/CompositePodGroup", Defaulting::podGroup),
            entry("resource.k8s.io/v1/ResourceClaim", DeviceDefaults::resourceClaim),
            entry("resource.k8s.io/v1/ResourceClaimTemplate", DeviceDefaults::resourceClaimTemplate),
            entry("resource.k8s.io/v1beta2/ResourceClaimTemplate", DeviceDefaults::resourceClaimTemplate),
            entry("resource.k8s.io/v1beta1/ResourceClaimTemplate", DeviceDefaults::resourceClaimTemplate));

    private Defaulting() {}

    /** As {@link #apply(ObjectNode, FeatureGates)}, with the features that are on by default. */
    public static void apply(ObjectNode object) {
        apply(object, FeatureGates.DEFAULTS);
    }

    /**
     * Sets the defaults of the object, in place. Objects of unknown kinds and of kinds without defaults do not change.
     *
     * @param object the object
     * @param features which features are on
     * @throws ClusterFileException if a field that matters here has a shape that the API server would refuse
     */
    public static void apply(ObjectNode object, FeatureGates features) {
        String kind = kind(object);
        if (kind.equals("v1/Pod")) {
            PodDefaults.pod(Fields.of(object), features);
        } else {
            BY_KIND.getOrDefault(kind, unknown -> {}).accept(Fields.of(object));
        }
    }

    /**
     * As {@link #apply(ObjectNode, FeatureGates)}, and for a created pod also sets the fields that the API server sets
     * after admission.
     */
    public static void applyToNew(ObjectNode object, FeatureGates features) {
        apply(object, features);
        applyAfterAdmission(object, features);
    }

    /**
     * Sets the defaults of a pod's status, in place.
     *
     * @throws ClusterFileException if a field that matters here has a shape that the API server would refuse
     */
    public static void applyToStatus(ObjectNode pod) {
        PodDefaults.status(Fields.of(pod));
    }

    /** Sets the fields that the API server sets in a created pod after admission plugins have changed it. */
    static void applyAfterAdmission(ObjectNode object, FeatureGates features) {
        if (kind(object).equals("v1/Pod")
                && features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES)
                && features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES_FIX_DEFAULTING)) {
            PodResourceDefaults.podAsAWhole(Fields.of(object).struct("spec"));
        }
    }

    private static String kind(ObjectNode object) {
        String kind = object.path("kind").asText();
        return KindVersions.known(object.path("apiVersion").asText(), kind) + "/" + kind;
    }

    private static void node(Fields node) {
        Fields status = node.struct("status");
        status.pointer("capacity")
                .ifPresent(capacity ->
                        status.whenAbsent("allocatable", capacity.node().deepCopy()));
        ResourceListDefaults.roundUp(status, "capacity");
        ResourceListDefaults.roundUp(status, "allocatable");
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

    private static void limitRange(Fields limitRange) {
        for (Fields item : limitRange.struct("spec").each("limits")) {
            if (item.holds("type", "Container")) {
                Fields limits = item.struct("default");
                Fields requests = item.struct("defaultRequest");
                item.pointer("max").ifPresent(max -> PodResourceDefaults.addMissing(limits, max));
                PodResourceDefaults.addMissing(requests, limits);
                item.pointer("min").ifPresent(min -> PodResourceDefaults.addMissing(requests, min));
            }
            for (String list : List.of("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")) {
                ResourceListDefaults.roundUp(item, list);
            }
        }
    }

    private static void persistentVolume(Fields volume) {
        volume.struct("status").whenBlank("phase", "Pending");
        Fields spec = volume.struct("spec");
        spec.whenBlank("persistentVolumeReclaimPolicy", "Retain");
        spec.whenAbsent("volumeMode", "Filesystem");
        persistentVolumeSpec(spec);
    }

    private static void persistentVolumeSpec(Fields spec) {
        ResourceListDefaults.roundUp(spec, "capacity");
        VolumeSourceDefaults.volumeSource(spec);
    }

    private static void persistentVolumeClaim(Fields claim) {
        Fields status = claim.struct("status");
        status.whenBlank("phase", "Pending");
        persistentVolumeClaimSpec(claim.struct("spec"));
        ResourceListDefaults.roundUp(status, "capacity");
    }

    static void persistentVolumeClaimSpec(Fields spec) {
        spec.whenAbsent("volumeMode", "Filesystem");
        spec.pointer("resources").ifPresent(ResourceListDefaults::roundUpRequirements);
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
            PodDefaults.podTemplate(template);
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
        PodDefaults.podTemplate(spec.struct("template"));
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
        PodDefaults.podTemplate(spec.struct("template"));
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
            strategy.pointer("rollingUpdate").ifPresent(rollingUpdate -> {
                rollingUpdate.whenAbsent("partition", 0);
                rollingUpdate.whenAbsent("maxUnavailable", 1);
            });
        }
        Fields retention = spec.struct("persistentVolumeClaimRetentionPolicy");
        retention.whenBlank("whenDeleted", "Retain");
        retention.whenBlank("whenScaled", "Retain");
        spec.whenAbsent("replicas", 1);
        spec.whenAbsent("revisionHistoryLimit", 10);
        PodDefaults.podTemplate(spec.struct("template"));
        spec.each("volumeClaimTemplates").forEach(Defaulting::persistentVolumeClaim);
    }

    private static void daemonSet(Fields set) {
        Fields spec = set.struct("spec");
        Fields strategy = spec.struct("updateStrategy");
        strategy.whenBlank("type", "RollingUpdate");
        if (strategy.holds("type", "RollingUpdate")) {
            Fields rollingUpdate = strategy.struct("rollingUpdate");
            rollingUpdate.whenAbsent("maxUnavailable", 1);
        }
        spec.whenAbsent("revisionHistoryLimit", 10);
        PodDefaults.podTemplate(spec.struct("template"));
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
        spec.whenAbsent("preventPodSchedulingIfMissing", false);
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
        Fields spec = group.struct("spec");
        if (spec.isAbsent("disruptionMode")) {
            spec.struct("disruptionMode").struct("single");
        }
    }
}
