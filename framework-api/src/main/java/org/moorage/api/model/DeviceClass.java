// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A device class.
 *
 * @param metadata its name and the like
 * @param selectors the CEL expressions that match the devices of the class
 * @param config the configuration for the drivers of its devices
 * @param extendedResourceName the extended resource that is mapped to devices of the class; empty if there is none
 */
public record DeviceClass(
        ObjectMeta metadata, List<String> selectors, List<DeviceConfig> config, String extendedResourceName)
        implements ClusterObject {
    /** The prefix of the extended resource that is implicitly mapped to a class, before the name of the class. */
    public static final String RESOURCE_PREFIX = "deviceclass.resource.kubernetes.io/";

    public DeviceClass {
        Objects.requireNonNull(metadata, "metadata");
        selectors = List.copyOf(selectors);
        config = List.copyOf(config);
        Objects.requireNonNull(extendedResourceName, "extendedResourceName");
    }

    /**
     * Returns the class that an extended resource is mapped to: the class that the resource's name contains, or else
     * the class with the resource's name that was created last. If several classes have the same creation time, the
     * first by name is used.
     */
    public static Optional<DeviceClass> forExtendedResource(String resource, Collection<DeviceClass> classes) {
        if (!canMapToDevices(resource)) {
            return Optional.empty();
        }
        DeviceClass found = null;
        for (DeviceClass deviceClass : classes) {
            if (resource.equals(RESOURCE_PREFIX + deviceClass.name())) {
                return Optional.of(deviceClass);
            }
            if (resource.equals(deviceClass.extendedResourceName) && deviceClass.takesPrecedenceOver(found)) {
                found = deviceClass;
            }
        }
        return Optional.ofNullable(found);
    }

    /** Returns whether a resource of this name can be mapped to devices. */
    public static boolean canMapToDevices(String resource) {
        return ResourceName.isExtended(resource) || resource.startsWith(RESOURCE_PREFIX);
    }

    private boolean takesPrecedenceOver(@Nullable DeviceClass other) {
        if (other == null) {
            return true;
        }
        int age = created(this).compareTo(created(other));
        return age > 0 || age == 0 && name().compareTo(other.name()) < 0;
    }

    private static Instant created(DeviceClass deviceClass) {
        return deviceClass.metadata.creationTimestamp().orElse(Instant.MIN);
    }
}
