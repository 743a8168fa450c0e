// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;

/**
 * An image that a node holds.
 *
 * @param names all names it goes by
 * @param sizeBytes its size in bytes
 */
public record ContainerImage(List<String> names, long sizeBytes) {
    public ContainerImage {
        names = List.copyOf(names);
    }
}
