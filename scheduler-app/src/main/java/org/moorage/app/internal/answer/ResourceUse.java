// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.LinkedHashMap;
import java.util.Map;
import org.moorage.api.model.ResourceName;

/**
 * The use of a resource: of cpu in thousandths of a core, of memory and storage in bytes.
 *
 * @param requested the amount that pods request
 * @param allocatable the amount that nodes have
 */
public record ResourceUse(long requested, long allocatable) {
    /** Returns the use of these resources, in order; an amount that is missing is 0. */
    public static Map<ResourceName, ResourceUse> of(
            Iterable<ResourceName> resources, Map<ResourceName, Long> requested, Map<ResourceName, Long> allocatable) {
        Map<ResourceName, ResourceUse> uses = new LinkedHashMap<>();
        resources.forEach(resource -> uses.put(
                resource,
                new ResourceUse(requested.getOrDefault(resource, 0L), allocatable.getOrDefault(resource, 0L))));
        return uses;
    }

    /** Returns the allocatable amount that is not requested. */
    public long free() {
        return allocatable - requested;
    }
}
