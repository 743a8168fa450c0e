// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import java.util.Objects;

/**
 * A resource to score, in the arguments of a plugin.
 *
 * @param name the resource, for example {@code cpu}
 * @param weight its weight; 0 means 1, as in kube-scheduler
 */
public record ResourceSpec(String name, long weight) {
    /** No name, weight 1. */
    public static final ResourceSpec DEFAULTS = new ResourceSpec("", 1);

    static final List<ResourceSpec> CPU_AND_MEMORY = List.of(new ResourceSpec("cpu", 1), new ResourceSpec("memory", 1));

    public ResourceSpec {
        Objects.requireNonNull(name, "name");
        weight = weight == 0 ? 1 : weight;
    }
}
