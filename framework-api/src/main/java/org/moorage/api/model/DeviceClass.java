// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A class of devices that claims refer to.
 *
 * @param metadata its name and the like
 * @param selectors the CEL expressions that a device of the class satisfies
 * @param config what the drivers of its devices get
 * @param extendedResourceName the extended resource that stands for a device of the class; empty if there is none
 */
public record DeviceClass(
        ObjectMeta metadata, List<String> selectors, List<DeviceConfig> config, String extendedResourceName)
        implements ClusterObject {
    /** Before the name of a class, the extended resource that always stands for one of its devices. */
    public static final String RESOURCE_PREFIX = "deviceclass.resource.kubernetes.io/";

    public DeviceClass {
        Objects.requireNonNull(metadata, "metadata");
        selectors = List.copyOf(selectors);
        config = List.copyOf(config);
        Objects.requireNonNull(extendedResourceName, "extendedResourceName");
    }

    /**
     * The class whose devices an extended resource stands for: the one of that name, or the latest that names the resource,
     * and of two made at the same time the first by name.
     */
    public static Optional<DeviceClass> ofResource(String resource, Collection<DeviceClass> classes) {
        if (!canStandForDevices(resource)) {
            return Optional.empty();
        }
        DeviceClass found = null;
        for (DeviceClass candidate : classes) {
            if (resource.equals(RESOURCE_PREFIX + candidate.name())) {
                return Optional.of(candidate);
            }
            if (resource.equals(candidate.extendedResourceName) && candidate.goesBefore(found)) {
                found = candidate;
            }
        }
        return Optional.ofNullable(found);
    }

    /** Whether a resource of this name may stand for devices. */
    public static boolean canStandForDevices(String resource) {
        return ResourceName.isExtended(resource) || resource.startsWith(RESOURCE_PREFIX);
    }

    private boolean goesBefore(@Nullable DeviceClass other) {
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
