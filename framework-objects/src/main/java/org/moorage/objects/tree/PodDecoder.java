// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Container;
import org.moorage.api.model.Device;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.QosClass;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;

/** Decodes the specs and statuses of pods. */
final class PodDecoder {
    private static final List<String> CONTAINER_STATUSES = List.of("containerStatuses", "initContainerStatuses");

    private final SharedValues shared;
    private final SelectorDecoder selectors;
    private final VolumeDecoder volumes;

    PodDecoder(SharedValues shared, SelectorDecoder selectors, VolumeDecoder volumes) {
        this.shared = shared;
        this.selectors = selectors;
        this.volumes = volumes;
    }

    PodSpec spec(FieldReader spec) {
        FieldReader resources = spec.object("resources");
        return PodSpec.builder()
                .containers(shared.value(spec.list("containers", this::container)))
                .initContainers(shared.value(spec.list("initContainers", this::container)))
                .overhead(shared.amounts(spec, "overhead"))
                .podRequests(shared.amounts(resources, "requests"))
                .podLimits(shared.amounts(resources, "limits"))
                .nodeSelector(shared.textMap(spec, "nodeSelector"))
                .affinity(shared.value(affinity(spec.object("affinity"))))
                .tolerations(shared.value(spec.list("tolerations", this::toleration)))
                .topologySpreadConstraints(
                        shared.value(spec.list("topologySpreadConstraints", this::topologySpreadConstraint)))
                .priority(spec.number("priority"))
                .preemptionPolicy(shared.text(spec.text("preemptionPolicy")))
                .priorityClassName(shared.text(spec.text("priorityClassName")))
                .schedulerName(shared.text(spec.text("schedulerName", PodSpec.DEFAULT_SCHEDULER)))
                .schedulingGates(shared.value(spec.list("schedulingGates", gate -> gate.text("name"))))
                .hostNetwork(spec.flag("hostNetwork"))
                .hostUsers(!spec.has("hostUsers") || spec.flag("hostUsers"))
                .restartsAllContainers(restartsAllContainers(spec))
                .hasBindMountOptions(hasBindMountOptions(spec))
                .seccompProfiles(shared.value(seccompProfiles(spec)))
                .resourceClaims(shared.value(spec.list("resourceClaims", this::resourceClaim)))
                .imageVolumes(shared.value(VolumeDecoder.imageVolumes(spec)))
                .volumes(shared.value(volumes.volumes(spec)))
                .podGroupName(shared.text(spec.object("schedulingGroup").text("podGroupName")))
                .build();
    }

    /** Returns a spec with the node affinity in a tree; the spec itself if it has that already. */
    PodSpec withNodeAffinity(PodSpec spec, FieldReader affinity) {
        NodeAffinity read =
                affinity.optional("nodeAffinity", this::nodeAffinity).orElse(NodeAffinity.NONE);
        Affinity before = spec.affinity();
        return read.equals(before.nodeAffinity())
                ? spec
                : shared.value(spec.toBuilder()
                        .affinity(shared.value(new Affinity(read, before.podAffinity(), before.podAntiAffinity())))
                        .build());
    }

    private static boolean restartsAllContainers(FieldReader spec) {
        for (String field : List.of("containers", "initContainers")) {
            for (boolean restarts : spec.list(field, PodDecoder::restartsAll)) {
                if (restarts) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean restartsAll(FieldReader container) {
        return container.list("restartPolicyRules", rule -> rule.text("action")).contains("RestartAllContainers");
    }

    private static boolean hasBindMountOptions(FieldReader spec) {
        for (String field : List.of("containers", "initContainers", "ephemeralContainers")) {
            for (boolean has : spec.list(field, PodDecoder::mountsWithOptions)) {
                if (has) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<String> seccompProfiles(FieldReader spec) {
        List<String> profiles = new ArrayList<>(0);
        localhostProfile(spec).ifPresent(profiles::add);
        spec.list("containers", PodDecoder::localhostProfile).forEach(profile -> profile.ifPresent(profiles::add));
        return List.copyOf(profiles);
    }

    private static Optional<String> localhostProfile(FieldReader podOrContainer) {
        FieldReader profile = podOrContainer.object("securityContext").object("seccompProfile");
        return profile.text("type").equals("Localhost") && profile.has("localhostProfile")
                ? Optional.of(profile.text("localhostProfile"))
                : Optional.empty();
    }

    private static boolean mountsWithOptions(FieldReader container) {
        return container
                .list("volumeMounts", mount -> !mount.texts("bindMountOptions").isEmpty())
                .contains(true);
    }

    private Container container(FieldReader container) {
        FieldReader resources = container.object("resources");
        return shared.value(new Container(
                shared.text(container.text("name")),
                shared.text(container.text("image")),
                shared.amounts(resources, "requests"),
                shared.amounts(resources, "limits"),
                shared.value(hostPorts(container)),
                shared.text(container.text("restartPolicy")),
                shared.value(resources.list("claims", claim -> shared.text(claim.text("name"))))));
    }

    private static List<HostPort> hostPorts(FieldReader container) {
        List<HostPort> ports = new ArrayList<>(container.list(
                "ports", port -> new HostPort(port.text("hostIP"), port.text("protocol"), port.number("hostPort"))));
        ports.removeIf(port -> port.port() <= 0);
        return List.copyOf(ports);
    }

    private Affinity affinity(FieldReader affinity) {
        return new Affinity(
                affinity.optional("nodeAffinity", this::nodeAffinity).orElse(NodeAffinity.NONE),
                affinity.optional("podAffinity", this::podAffinity),
                affinity.optional("podAntiAffinity", this::podAffinity));
    }

    private NodeAffinity nodeAffinity(FieldReader affinity) {
        return new NodeAffinity(
                affinity.optional("requiredDuringSchedulingIgnoredDuringExecution", selectors::nodeSelector),
                affinity.list(
                        "preferredDuringSchedulingIgnoredDuringExecution",
                        wish -> new NodeAffinity.Preferred(
                                wish.number("weight"), selectors.nodeSelectorTerm(wish.object("preference")))));
    }

    private PodAffinity podAffinity(FieldReader affinity) {
        return new PodAffinity(
                affinity.list("requiredDuringSchedulingIgnoredDuringExecution", this::podAffinityTerm),
                affinity.list(
                        "preferredDuringSchedulingIgnoredDuringExecution",
                        wish -> new PodAffinityTerm.Weighted(
                                wish.number("weight"), podAffinityTerm(wish.object("podAffinityTerm")))));
    }

    private PodAffinityTerm podAffinityTerm(FieldReader term) {
        return new PodAffinityTerm(
                term.optional("labelSelector", selectors::labelSelector),
                term.texts("namespaces"),
                term.optional("namespaceSelector", selectors::labelSelector),
                shared.text(term.text("topologyKey")));
    }

    private Toleration toleration(FieldReader toleration) {
        return shared.value(new Toleration(
                toleration.text("key"),
                toleration.text("operator"),
                toleration.text("value"),
                toleration.text("effect")));
    }

    private TopologySpreadConstraint topologySpreadConstraint(FieldReader constraint) {
        return new TopologySpreadConstraint(
                constraint.number("maxSkew"),
                shared.text(constraint.text("topologyKey")),
                shared.text(constraint.text("whenUnsatisfiable")),
                constraint.optional("labelSelector", selectors::labelSelector),
                constraint.has("minDomains") ? OptionalInt.of(constraint.number("minDomains")) : OptionalInt.empty(),
                shared.text(constraint.text("nodeAffinityPolicy")),
                shared.text(constraint.text("nodeTaintsPolicy")),
                constraint.texts("matchLabelKeys"));
    }

    PodSpec.ResourceClaim resourceClaim(FieldReader claim) {
        return new PodSpec.ResourceClaim(
                claim.text("name"), claim.text("resourceClaimName"), claim.text("resourceClaimTemplateName"));
    }

    PodStatus status(FieldReader status) {
        PodStatus.Builder result = PodStatus.builder()
                .phase(shared.text(status.text("phase")))
                .nominatedNodeName(shared.text(status.text("nominatedNodeName")))
                .hostIp(shared.text(status.text("hostIP")))
                .conditions(shared.value(status.list("conditions", this::condition)))
                .containerResources(shared.value(containerResources(status)))
                .containerStates(shared.value(containerStates(status)))
                .resourceClaimStatuses(status.list(
                        "resourceClaimStatuses",
                        claim -> new PodStatus.ClaimStatus(claim.text("name"), claim.text("resourceClaimName"))))
                .nodeAllocatableResourceClaimStatuses(
                        status.list("nodeAllocatableResourceClaimStatuses", this::nodeResourceClaim));
        // kube-scheduler reads the pod's allocatedResources only if it has resources too.
        if (status.has("resources")) {
            result.podResources(shared.value(resources("", status)));
        }
        QosClass.of(status.text("qosClass")).ifPresent(result::qosClass);
        status.list("conditions", PodDecoder::scheduledAt)
                .forEach(scheduled -> scheduled.ifPresent(result::scheduledAt));
        Instant started = status.time("startTime");
        if (started != null) {
            result.startTime(started);
        }
        return result.build();
    }

    private static Optional<Instant> scheduledAt(FieldReader condition) {
        boolean isScheduled = condition.text("type").equals(PodCondition.POD_SCHEDULED)
                && condition.text("status").equals("True");
        return isScheduled ? Optional.ofNullable(condition.time("lastTransitionTime")) : Optional.empty();
    }

    private PodStatus.NodeAllocatableResourceClaimStatus nodeResourceClaim(FieldReader claim) {
        return new PodStatus.NodeAllocatableResourceClaimStatus(
                claim.text("resourceClaimName"),
                claim.texts("containers"),
                claim.byName("mapping", amount -> amount.quantity("quantity"), shared::text),
                claim.byName("overhead", PodDecoder::overhead, shared::text));
    }

    static Device.NodeAllocatableOverhead overhead(FieldReader overhead) {
        return new Device.NodeAllocatableOverhead(
                overhead.optionalQuantity("perPod"), overhead.optionalQuantity("perContainer"));
    }

    PodCondition condition(FieldReader condition) {
        return new PodCondition(
                shared.text(condition.text("type")),
                shared.text(condition.text("status")),
                shared.text(condition.text("reason")),
                condition.text("message"),
                condition.longNumber("observedGeneration"));
    }

    private List<PodStatus.ContainerResources> containerResources(FieldReader status) {
        List<PodStatus.ContainerResources> result = new ArrayList<>();
        for (String field : CONTAINER_STATUSES) {
            status.list(field, this::containerStatus).forEach(reported -> reported.ifPresent(result::add));
        }
        return List.copyOf(result);
    }

    private Optional<PodStatus.ContainerResources> containerStatus(FieldReader status) {
        PodStatus.ContainerResources reported = resources(shared.text(status.text("name")), status);
        return reported.requests().isEmpty() && reported.allocated().isEmpty()
                ? Optional.empty()
                : Optional.of(shared.value(reported));
    }

    private List<PodStatus.ContainerState> containerStates(FieldReader status) {
        List<PodStatus.ContainerState> result = new ArrayList<>();
        status.list("containerStatuses", this::containerState).forEach(state -> state.ifPresent(result::add));
        return List.copyOf(result);
    }

    // Nearly all containers are in their first run, and are omitted.
    private Optional<PodStatus.ContainerState> containerState(FieldReader status) {
        FieldReader state = status.object("state");
        FieldReader before = status.object("lastState");
        boolean isAgain = before.has("terminated");
        if (state.has("running") && !isAgain
                || !state.has("running") && !state.has("waiting") && !state.has("terminated")) {
            return Optional.empty();
        }
        PodStatus.ContainerPhase phase = state.has("running")
                ? PodStatus.ContainerPhase.RUNNING
                : state.has("terminated") ? PodStatus.ContainerPhase.TERMINATED : PodStatus.ContainerPhase.WAITING;
        return Optional.of(new PodStatus.ContainerState(
                shared.text(status.text("name")), phase, finishedAt(state), finishedAt(before)));
    }

    private static Optional<Instant> finishedAt(FieldReader state) {
        return state.has("terminated")
                ? Optional.ofNullable(state.object("terminated").time("finishedAt"))
                : Optional.empty();
    }

    private PodStatus.ContainerResources resources(String name, FieldReader status) {
        return new PodStatus.ContainerResources(
                name, reported(status.object("resources"), "requests"), reported(status, "allocatedResources"));
    }

    private Optional<Map<String, Quantity>> reported(FieldReader object, String field) {
        return object.has(field) ? Optional.of(shared.amounts(object, field)) : Optional.empty();
    }
}
