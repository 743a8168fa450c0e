// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * A container image on a node.
 *
 * @param names its names
 * @param sizeBytes its size in bytes
 */
public record ContainerImage(List<String> names, long sizeBytes) {
    public ContainerImage {
        names = List.copyOf(names);
    }
}
