// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Container;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus.ContainerExtendedResourceRequest;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.Resources;

/**
 * The devices that stand in for extended resources of a pod.
 *
 * @param requests what a claim for them asks for
 * @param mappings which container has which resource from which request
 */
record ExtendedResources(List<DeviceRequest> requests, List<ContainerExtendedResourceRequest> mappings) {
    private static final String IN_MEMORY = "<extended-resources>";

    /** The classes of the devices that may stand in for what a pod requests. */
    static Map<String, DeviceClass> classByResource(Pod pod, Collection<DeviceClass> classes) {
        Map<String, DeviceClass> found = new HashMap<>();
        Resources requests = pod.spec().requests();
        for (int i = 0; i < requests.scalarCount(); i++) {
            String resource = requests.scalarName(i);
            if (requests.scalarAmount(i) != 0) {
                DeviceClass.ofResource(resource, classes).ifPresent(deviceClass -> found.put(resource, deviceClass));
            }
        }
        return found;
    }

    /** What a pod requests that devices could stand in for. */
    static Map<String, Long> amounts(Pod pod) {
        Map<String, Long> scalars = new HashMap<>();
        Resources requests = pod.spec().requests();
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (requests.scalarAmount(i) != 0 && DeviceClass.canStandForDevices(requests.scalarName(i))) {
                scalars.put(requests.scalarName(i), requests.scalarAmount(i));
            }
        }
        return scalars;
    }

    /** A pod's claim for them: the one of an earlier attempt, or one that is only in memory. */
    static ResourceClaim claim(Pod pod, List<ResourceClaim> known) {
        for (ResourceClaim claim : known) {
            if (claim.isForExtendedResourcesOf(pod)) {
                return claim;
            }
        }
        ObjectMeta metadata = ObjectMeta.named(IN_MEMORY)
                .namespace(pod.namespace())
                .uid(UUID.randomUUID().toString())
                .build();
        return ResourceClaim.of(metadata, List.of());
    }

    /** Whether a claim does not exist in the cluster yet. */
    static boolean isInMemory(ResourceClaim claim) {
        return claim.name().equals(IN_MEMORY);
    }

    /**
     * The devices for these resources.
     *
     * @param pod the pod
     * @param classes the classes of the devices, by resource
     */
    static ExtendedResources of(Pod pod, Map<String, DeviceClass> classes) {
        List<Container> containers = new ArrayList<>(pod.spec().initContainers());
        int initContainers = containers.size();
        containers.addAll(pod.spec().containers());
        List<DeviceRequest> requests = new ArrayList<>();
        List<ContainerExtendedResourceRequest> mappings = new ArrayList<>();
        SortedMap<String, DeviceClass> ordered = new TreeMap<>(classes);
        ordered.forEach((resource, deviceClass) ->
                new OneResource(containers, initContainers, resource, deviceClass.name()).addTo(requests, mappings));
        requests.sort(Comparator.comparing(DeviceRequest::name));
        return new ExtendedResources(List.copyOf(requests), List.copyOf(mappings));
    }

    /** One resource of all containers. Containers that only run at the start may use devices of those that follow. */
    private static final class OneResource {
        private final List<Container> containers;
        private final int initContainers;
        private final String resource;
        private final String deviceClass;
        private final @Nullable DeviceRequest[] lasting;
        private final List<ContainerExtendedResourceRequest> mappings = new ArrayList<>();
        private @Nullable DeviceRequest largestAtStart;

        OneResource(List<Container> containers, int initContainers, String resource, String deviceClass) {
            this.containers = containers;
            this.initContainers = initContainers;
            this.resource = resource;
            this.deviceClass = deviceClass;
            lasting = new DeviceRequest[containers.size()];
        }

        void addTo(List<DeviceRequest> allRequests, List<ContainerExtendedResourceRequest> allMappings) {
            for (int i = 0; i < containers.size(); i++) {
                if (!isOnlyAtStart(i)) {
                    lasting[i] = request(i, containers.size());
                }
            }
            int firstAtStart = mappings.size();
            List<String> namesAtStart = new ArrayList<>();
            for (int i = 0; i < initContainers; i++) {
                if (isOnlyAtStart(i)) {
                    DeviceRequest added = request(i, i);
                    if (added != null) {
                        namesAtStart.add(added.name());
                        if (largestAtStart == null || largestAtStart.count() < added.count()) {
                            largestAtStart = added;
                        }
                    }
                }
            }
            DeviceRequest largest = largestAtStart;
            if (largest != null) {
                // They run one after the other, so the largest request serves them all.
                for (int i = firstAtStart; i < mappings.size(); i++) {
                    ContainerExtendedResourceRequest mapping = mappings.get(i);
                    if (namesAtStart.contains(mapping.requestName())) {
                        mappings.set(
                                i,
                                new ContainerExtendedResourceRequest(
                                        mapping.containerName(), resource, largest.name()));
                    }
                }
                allRequests.add(largest);
            }
            for (DeviceRequest request : lasting) {
                if (request != null) {
                    allRequests.add(request);
                }
            }
            allMappings.addAll(mappings);
        }

        private boolean isOnlyAtStart(int index) {
            return index < initContainers && !containers.get(index).isSidecar();
        }

        // What the container needs beyond the requests of later ones, from the given place on; null if that is nothing.
        private @Nullable DeviceRequest request(int index, int reusableFrom) {
            Container container = containers.get(index);
            Quantity quantity = container.requests().get(resource);
            if (quantity == null
                    || quantity.isZero()
                    || !Quantity.of(quantity.value()).equals(quantity)) {
                return null;
            }
            long missing = quantity.value();
            for (int i = reusableFrom; i < lasting.length; i++) {
                DeviceRequest reusable = lasting[i];
                if (reusable != null) {
                    missing -= reusable.count();
                    mappings.add(new ContainerExtendedResourceRequest(container.name(), resource, reusable.name()));
                    if (missing <= 0) {
                        return null;
                    }
                }
            }
            int place = new ArrayList<>(new TreeMap<>(container.requests()).keySet()).indexOf(resource);
            String name = "container-" + index + "-request-" + place;
            mappings.add(new ContainerExtendedResourceRequest(container.name(), resource, name));
            return DeviceRequest.of(name, deviceClass, missing);
        }
    }
}
