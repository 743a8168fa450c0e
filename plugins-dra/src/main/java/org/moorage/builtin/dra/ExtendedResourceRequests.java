// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Container;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus.ContainerExtendedResourceRequest;
import org.moorage.api.model.Quantity;

/**
 * The requests of the claim for a pod's extended resources.
 *
 * @param requests the requests, by name
 * @param mappings which container gets which resource from which request
 */
record ExtendedResourceRequests(List<DeviceRequest> requests, List<ContainerExtendedResourceRequest> mappings) {
    /**
     * Returns the requests of a pod.
     *
     * @param pod the pod
     * @param deviceClasses the classes of the devices to request, by the name of the resource
     */
    static ExtendedResourceRequests of(Pod pod, Map<String, DeviceClass> deviceClasses) {
        List<Container> containers = new ArrayList<>(pod.spec().initContainers());
        int initContainers = containers.size();
        containers.addAll(pod.spec().containers());
        List<DeviceRequest> requests = new ArrayList<>();
        List<ContainerExtendedResourceRequest> mappings = new ArrayList<>();
        new TreeMap<>(deviceClasses).forEach((resource, deviceClass) -> {
            ResourceRequests ofResource =
                    new ResourceRequests(containers, initContainers, resource, deviceClass.name());
            requests.addAll(ofResource.requests);
            mappings.addAll(ofResource.mappings);
        });
        requests.sort(Comparator.comparing(DeviceRequest::name));
        return new ExtendedResourceRequests(List.copyOf(requests), List.copyOf(mappings));
    }

    /**
     * The requests for one resource. Init containers that are not sidecars are short-lived: they run one after the
     * other, and may use the devices of the long-lived containers that start after them.
     */
    private static final class ResourceRequests {
        private final List<Container> containers;
        private final int initContainers;
        private final String resource;
        private final String deviceClass;
        private final @Nullable DeviceRequest[] longLived;
        private final List<DeviceRequest> requests = new ArrayList<>();
        private final List<ContainerExtendedResourceRequest> mappings = new ArrayList<>();

        ResourceRequests(List<Container> containers, int initContainers, String resource, String deviceClass) {
            this.containers = containers;
            this.initContainers = initContainers;
            this.resource = resource;
            this.deviceClass = deviceClass;
            longLived = new DeviceRequest[containers.size()];
            addLongLived();
            addShortLived();
        }

        private boolean isShortLived(int index) {
            return index < initContainers && !containers.get(index).isSidecar();
        }

        private void addLongLived() {
            for (int i = 0; i < containers.size(); i++) {
                if (!isShortLived(i)) {
                    DeviceRequest request = request(i, containers.size());
                    longLived[i] = request;
                    if (request != null) {
                        requests.add(request);
                    }
                }
            }
        }

        // The largest request of a short-lived container serves the others, too.
        private void addShortLived() {
            int firstMapping = mappings.size();
            Set<String> names = new HashSet<>();
            DeviceRequest largest = null;
            for (int i = 0; i < initContainers; i++) {
                DeviceRequest request = isShortLived(i) ? request(i, i) : null;
                if (request != null) {
                    names.add(request.name());
                    if (largest == null || largest.count() < request.count()) {
                        largest = request;
                    }
                }
            }
            if (largest == null) {
                return;
            }
            requests.add(largest);
            for (int i = firstMapping; i < mappings.size(); i++) {
                ContainerExtendedResourceRequest mapping = mappings.get(i);
                if (names.contains(mapping.requestName())) {
                    mappings.set(
                            i, new ContainerExtendedResourceRequest(mapping.containerName(), resource, largest.name()));
                }
            }
        }

        /**
         * Adds the mappings of a container.
         *
         * @param index the container
         * @param reusableFrom the first container whose request it may use
         * @return what it requests besides; null if nothing
         */
        private @Nullable DeviceRequest request(int index, int reusableFrom) {
            Container container = containers.get(index);
            Quantity quantity = container.requests().get(resource);
            if (quantity == null
                    || quantity.isZero()
                    || !Quantity.of(quantity.value()).equals(quantity)) {
                return null;
            }
            long missing = quantity.value();
            for (int i = reusableFrom; i < longLived.length; i++) {
                DeviceRequest reusable = longLived[i];
                if (reusable != null) {
                    missing -= reusable.count();
                    mappings.add(new ContainerExtendedResourceRequest(container.name(), resource, reusable.name()));
                    if (missing <= 0) {
                        return null;
                    }
                }
            }
            List<String> resources = new ArrayList<>(new TreeMap<>(container.requests()).keySet());
            String name = "container-" + index + "-request-" + resources.indexOf(resource);
            mappings.add(new ContainerExtendedResourceRequest(container.name(), resource, name));
            return DeviceRequest.of(name, deviceClass, missing);
        }
    }
}
