// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;

/**
 * A JSON merge patch: the fields of an object that change, where null removes a field and a list replaces the former one. For
 * example:
 *
 * <pre>{@code
 * MergePatch.of("{\"spec\":{\"maxPods\":10}}")
 * }</pre>
 *
 * <p>A patch that names the object's {@code metadata.uid} or {@code metadata.resourceVersion} is for that object or that
 * version of it, and fails with a conflict on any other.
 *
 * @param subresource the subresource that is patched, such as {@code status}; empty for the object itself
 * @param json the patch, as JSON text
 */
public record MergePatch(String subresource, String json) {
    public MergePatch {
        Objects.requireNonNull(subresource, "subresource");
        Objects.requireNonNull(json, "json");
    }

    /** A patch of an object but for its subresources. */
    public static MergePatch of(String json) {
        return new MergePatch("", json);
    }

    /** A patch of an object's status, where that is a subresource. */
    public static MergePatch ofStatus(String json) {
        return new MergePatch("status", json);
    }
}
