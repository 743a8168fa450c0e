// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A claim of devices.
 *
 * @param metadata its name and the like
 * @param finalizers the finalizers that delay its deletion
 * @param requests the requests for devices
 * @param constraints the constraints on the devices
 * @param config the configuration for the devices' drivers
 * @param allocation the allocated devices; empty if it is not allocated
 * @param reservedFor the consumers that it is reserved for
 * @param devices the status of the allocated devices that drivers report
 */
public record ResourceClaim(
        ObjectMeta metadata,
        List<String> finalizers,
        List<DeviceRequest> requests,
        List<DeviceConstraint> constraints,
        List<DeviceConfig> config,
        Optional<DeviceAllocation> allocation,
        List<Consumer> reservedFor,
        List<AllocatedDeviceStatus> devices)
        implements ClusterObject {
    /** The finalizer that keeps an allocated claim from being deleted while it is in use. */
    public static final String FINALIZER = "resource.kubernetes.io/delete-protection";
    /** The annotation of claims that a scheduler created for the extended resources of a pod. */
    public static final String EXTENDED_RESOURCES = "resource.kubernetes.io/extended-resource-claim";

    public ResourceClaim {
        Objects.requireNonNull(metadata, "metadata");
        finalizers = List.copyOf(finalizers);
        requests = List.copyOf(requests);
        constraints = List.copyOf(constraints);
        config = List.copyOf(config);
        Objects.requireNonNull(allocation, "allocation");
        reservedFor = List.copyOf(reservedFor);
        devices = List.copyOf(devices);
    }

    /**
     * A consumer of a claim.
     *
     * @param apiGroup the group of its kind; empty for pods
     * @param resource the plural of its kind
     * @param name its name
     * @param uid its UID
     */
    public record Consumer(String apiGroup, String resource, String name, String uid) {
        private static final String GROUP_API = "scheduling.k8s.io";
        private static final String GROUPS = "podgroups";

        /** Returns a consumer for a pod. */
        public static Consumer of(Pod pod) {
            return new Consumer("", "pods", pod.name(), pod.uid());
        }

        /** Returns a consumer for all pods of a group. */
        public static Consumer of(PodGroup group) {
            return new Consumer(
                    GROUP_API, GROUPS, group.name(), group.metadata().uid());
        }

        private boolean isGroupOf(Pod pod) {
            return apiGroup.equals(GROUP_API)
                    && resource.equals(GROUPS)
                    && name.equals(pod.spec().podGroupName());
        }
    }

    /**
     * The status of an allocated device that its driver reports.
     *
     * @param driver the driver
     * @param pool the pool
     * @param device the device
     * @param conditions the conditions
     * @param json the whole report, as JSON text
     */
    public record AllocatedDeviceStatus(
            String driver, String pool, String device, List<PodCondition> conditions, String json) {
        public AllocatedDeviceStatus {
            conditions = List.copyOf(conditions);
        }

        /** Returns the condition of a type, or empty. */
        public Optional<PodCondition> condition(String type) {
            for (PodCondition condition : conditions) {
                if (condition.type().equals(type)) {
                    return Optional.of(condition);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * Returns the claim for the extended resources of a pod, which owns it.
     *
     * @param metadata the claim's name and UID
     * @param pod the pod
     * @param requests the requests for devices
     */
    public static ResourceClaim forExtendedResources(ObjectMeta metadata, Pod pod, List<DeviceRequest> requests) {
        ObjectMeta owned = metadata.toBuilder()
                .annotations(Map.of(EXTENDED_RESOURCES, "true"))
                .ownerReferences(List.of(new OwnerReference("v1", "Pod", pod.name(), pod.uid(), true)))
                .build();
        return of(owned, requests);
    }

    /** Returns a claim of these requests that is not in the cluster. */
    public static ResourceClaim of(ObjectMeta metadata, List<DeviceRequest> requests) {
        return new ResourceClaim(
                metadata, List.of(), requests, List.of(), List.of(), Optional.empty(), List.of(), List.of());
    }

    /** Returns whether the claim is reserved for a pod. */
    public boolean isReservedFor(Pod pod) {
        return isReservedFor(pod.uid());
    }

    /** Returns whether the claim is reserved for a consumer. */
    public boolean isReservedFor(Consumer consumer) {
        return isReservedFor(consumer.uid());
    }

    private boolean isReservedFor(String uid) {
        for (Consumer consumer : reservedFor) {
            if (consumer.uid().equals(uid)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the claim is reserved for a pod's group, by name: pods only know the name of their group. */
    public boolean isReservedForGroupOf(Pod pod) {
        for (Consumer consumer : reservedFor) {
            if (consumer.isGroupOf(pod)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the scheduler created it for the extended resources of a pod. */
    public boolean isForExtendedResourcesOf(Pod pod) {
        if (!"true".equals(metadata.annotations().get(EXTENDED_RESOURCES))) {
            return false;
        }
        for (OwnerReference owner : metadata.ownerReferences()) {
            if (owner.controller()
                    && owner.name().equals(pod.name())
                    && owner.uid().equals(pod.uid())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the status is the same: allocation, consumers and reported device status. */
    public boolean hasStatusOf(ResourceClaim other) {
        return allocation.equals(other.allocation)
                && reservedFor.equals(other.reservedFor)
                && devices.equals(other.devices);
    }

    /** Returns the status that the driver reports of an allocated device, or empty. */
    public Optional<AllocatedDeviceStatus> report(DeviceAllocation.Result result) {
        for (AllocatedDeviceStatus report : devices) {
            if (report.device().equals(result.device())
                    && report.driver().equals(result.driver())
                    && report.pool().equals(result.pool())) {
                return Optional.of(report);
            }
        }
        return Optional.empty();
    }

    /** Returns the same claim with other metadata. */
    public ResourceClaim withMetadata(ObjectMeta changed) {
        return new ResourceClaim(changed, finalizers, requests, constraints, config, allocation, reservedFor, devices);
    }

    /** Returns the same claim with {@link #FINALIZER}. */
    public ResourceClaim withFinalizer() {
        List<String> changed = new ArrayList<>(finalizers);
        if (!changed.contains(FINALIZER)) {
            changed.add(FINALIZER);
        }
        return withFinalizers(changed);
    }

    /** Returns the same claim without {@link #FINALIZER}. */
    public ResourceClaim withoutFinalizer() {
        List<String> changed = new ArrayList<>(finalizers);
        changed.remove(FINALIZER);
        return withFinalizers(changed);
    }

    private ResourceClaim withFinalizers(List<String> changed) {
        return new ResourceClaim(metadata, changed, requests, constraints, config, allocation, reservedFor, devices);
    }

    /** Returns the same claim for other requests. */
    public ResourceClaim withRequests(List<DeviceRequest> changed) {
        return new ResourceClaim(metadata, finalizers, changed, constraints, config, allocation, reservedFor, devices);
    }

    /** Returns the same claim with an allocation. */
    public ResourceClaim withAllocation(DeviceAllocation changed) {
        return withStatus(Optional.of(changed), reservedFor, devices);
    }

    /** Returns the same claim with one more consumer. */
    public ResourceClaim withReservationFor(Consumer consumer) {
        List<Consumer> changed = reservedForOthersThan(consumer);
        changed.add(consumer);
        return withStatus(allocation, changed, devices);
    }

    /** Returns the same claim without one of its consumers. */
    public ResourceClaim withoutReservationFor(Consumer consumer) {
        return withStatus(allocation, reservedForOthersThan(consumer), devices);
    }

    /**
     * Returns the claim after controllers handled the deletion of a consumer. The claim is deleted if the consumer
     * owned it, and deallocated if the consumer was the last one.
     *
     * @param gone the deleted consumer
     * @return the changed claim, or this one if it was not reserved for the consumer; empty if it is deleted
     */
    public Optional<ResourceClaim> without(Consumer gone) {
        if (metadata.controller()
                .filter(owner -> owner.uid().equals(gone.uid()))
                .isPresent()) {
            return Optional.empty();
        }
        if (!isReservedFor(gone)) {
            return Optional.of(this);
        }
        ResourceClaim free = withoutReservationFor(gone);
        return Optional.of(free.reservedFor().isEmpty() ? free.deallocated() : free);
    }

    private List<Consumer> reservedForOthersThan(Consumer consumer) {
        List<Consumer> others = new ArrayList<>(reservedFor);
        others.removeIf(other -> other.uid().equals(consumer.uid()));
        return others;
    }

    /** Returns the same claim without allocation, reservations and reports. */
    public ResourceClaim deallocated() {
        return withStatus(Optional.empty(), List.of(), List.of());
    }

    private ResourceClaim withStatus(
            Optional<DeviceAllocation> given, List<Consumer> consumers, List<AllocatedDeviceStatus> reports) {
        return new ResourceClaim(metadata, finalizers, requests, constraints, config, given, consumers, reports);
    }
}
