// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/** An object of the Kubernetes API. */
public interface ClusterObject {
    /** Returns the object's metadata. */
    ObjectMeta metadata();

    /** Returns the object's name, unique among the objects of its kind in its namespace. */
    default String name() {
        return metadata().name();
    }

    /** Returns the object's namespace; empty for cluster-scoped objects. */
    default String namespace() {
        return metadata().namespace();
    }

    /** Returns {@code namespace/name}, or just the name of a cluster-scoped object. */
    default String key() {
        return metadata().key();
    }
}
