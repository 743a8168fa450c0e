// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * The extended resources of a pod, for which devices may be used where a node does not offer the resource itself. A
 * claim then requests the devices; it is in memory only until PreBind.
 *
 * @param names the names of the extended resources that the pod requests
 * @param deviceClasses the device classes that are mapped to them, by the name of the resource
 */
record ExtendedResources(Set<String> names, Map<String, DeviceClass> deviceClasses) {
    /** For a pod without extended resources that a device class is mapped to. */
    static final ExtendedResources NONE = new ExtendedResources(Set.of(), Map.of());

    private static final String IN_MEMORY_NAME = "<extended-resources>";

    ExtendedResources {
        names = Set.copyOf(names);
        deviceClasses = Map.copyOf(deviceClasses);
    }

    /** Returns the extended resources of a pod; {@link #NONE} if no class is mapped to any of them. */
    static ExtendedResources of(Pod pod, Collection<DeviceClass> classes) {
        Set<String> names = new HashSet<>();
        Map<String, DeviceClass> deviceClasses = new HashMap<>();
        Resources requests = pod.spec().requests();
        for (int i = 0; i < requests.scalarCount(); i++) {
            String name = requests.scalarName(i);
            if (requests.scalarAmount(i) != 0 && DeviceClass.canMapToDevices(name)) {
                names.add(name);
                DeviceClass.forExtendedResource(name, classes).ifPresent(mapped -> deviceClasses.put(name, mapped));
            }
        }
        return deviceClasses.isEmpty() ? NONE : new ExtendedResources(names, deviceClasses);
    }

    boolean isEmpty() {
        return deviceClasses.isEmpty();
    }

    /** Returns the pod's claim for them: the one that an earlier attempt created, or a new one in memory. */
    static ResourceClaim claim(Pod pod, List<ResourceClaim> claimsOfNamespace, RandomGenerator random) {
        for (ResourceClaim claim : claimsOfNamespace) {
            if (claim.isForExtendedResourcesOf(pod)) {
                return claim;
            }
        }
        ObjectMeta metadata = ObjectMeta.named(IN_MEMORY_NAME)
                .namespace(pod.namespace())
                .uid(RandomUuid.of(random))
                .build();
        return ResourceClaim.of(metadata, List.of());
    }

    /** Returns whether a claim for extended resources has not been created in the cluster yet. */
    static boolean isInMemory(ResourceClaim claim) {
        return claim.name().equals(IN_MEMORY_NAME);
    }

    /**
     * Returns the classes of the devices to use on a node, by the name of the resource: for those resources that the
     * node does not offer. Empty if the node does not name a resource that no class is mapped to, so that the pod
     * cannot run there.
     */
    Optional<Map<String, DeviceClass>> deviceClassesOn(NodeInfo node) {
        Map<String, DeviceClass> needed = new TreeMap<>();
        for (String name : names) {
            DeviceClass deviceClass = deviceClasses.get(name);
            if (deviceClass != null && node.allocatable(ResourceName.of(name)) == 0) {
                needed.put(name, deviceClass);
            } else if (!isNamed(name, node.node().allocatableResources())) {
                return Optional.empty();
            }
        }
        return Optional.of(needed);
    }

    private static boolean isNamed(String name, Resources allocatable) {
        for (int i = 0; i < allocatable.scalarCount(); i++) {
            if (allocatable.scalarName(i).equals(name)) {
                return true;
            }
        }
        return false;
    }
}
