// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;

/**
 * A JSON merge patch: the changed fields of an object. Null removes a field, and a list replaces the former one. For
 * example:
 *
 * <pre>{@code
 * MergePatch.of("{\"spec\":{\"maxPods\":10}}")
 * }</pre>
 *
 * <p>A patch with {@code metadata.uid} or {@code metadata.resourceVersion} only applies to that object or that version
 * of it, and fails with a conflict on any other.
 *
 * @param subresource the subresource that is patched, such as {@code status}; empty for the object itself
 * @param json the patch, as JSON text
 */
public record MergePatch(String subresource, String json) {
    public MergePatch {
        Objects.requireNonNull(subresource, "subresource");
        Objects.requireNonNull(json, "json");
    }

    /** Returns a patch of an object without its subresources. */
    public static MergePatch of(String json) {
        return new MergePatch("", json);
    }

    /** Returns a patch of an object's status, for kinds in which status is a subresource. */
    public static MergePatch ofStatus(String json) {
        return new MergePatch("status", json);
    }
}
