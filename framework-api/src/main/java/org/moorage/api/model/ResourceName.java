// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Objects;

/**
 * The name of a resource. Reading the amount of a common resource on a node takes no string comparison.
 */
public final class ResourceName {
    /** Processor time, counted in thousandths of a core. */
    public static final ResourceName CPU = new ResourceName("cpu");
    /** Memory, counted in bytes. */
    public static final ResourceName MEMORY = new ResourceName("memory");
    /** Local ephemeral storage, counted in bytes. */
    public static final ResourceName EPHEMERAL_STORAGE = new ResourceName("ephemeral-storage");

    private static final String NATIVE_DOMAIN = "kubernetes.io/";

    private final String name;

    private ResourceName(String name) {
        this.name = name;
    }

    /** Returns the resource of that name, for example {@code cpu} or {@code example.com/gpu}. */
    public static ResourceName of(String name) {
        return switch (Objects.requireNonNull(name, "name")) {
            case "cpu" -> CPU;
            case "memory" -> MEMORY;
            case "ephemeral-storage" -> EPHEMERAL_STORAGE;
            default -> new ResourceName(name);
        };
    }

    /** Returns the name as written in manifests. */
    public String name() {
        return name;
    }

    /** Returns 0 for cpu, 1 for memory, 2 for ephemeral storage, and -1 for every other resource. */
    @SuppressWarnings("ReferenceEquality") // there is one instance of each of the three
    public int slot() {
        // Compared rather than stored, so that the JIT compilers know the index of a constant.
        return this == CPU ? 0 : this == MEMORY ? 1 : this == EPHEMERAL_STORAGE ? 2 : -1;
    }

    /**
     * Returns whether it is a scalar resource that is accounted for: an extended resource, huge pages, attachable
     * volumes or a resource in a {@code kubernetes.io} domain.
     */
    public static boolean isScalar(String name) {
        return isExtended(name)
                || isHugePages(name)
                || name.contains(NATIVE_DOMAIN)
                || name.startsWith("attachable-volumes-");
    }

    /** Returns whether it is huge pages of some size. */
    public static boolean isHugePages(String name) {
        return name.startsWith("hugepages-");
    }

    /**
     * Returns whether it is an extended resource: has a domain outside of {@code kubernetes.io}, and is not the name of
     * a quota.
     */
    public static boolean isExtended(String name) {
        // A name without a slash belongs to Kubernetes, and so does every kubernetes.io domain.
        return name.indexOf('/') >= 0 && !name.contains(NATIVE_DOMAIN) && !name.startsWith("requests.");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResourceName that && that.name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
