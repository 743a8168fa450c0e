// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/** An object of the Kubernetes API. */
public interface ClusterObject {
    /** Its name, labels and the like. */
    ObjectMeta metadata();

    /** Its name, unique among the objects of its kind in its namespace. */
    default String name() {
        return metadata().name();
    }

    /** Its namespace; empty for objects of the whole cluster. */
    default String namespace() {
        return metadata().namespace();
    }

    /** {@code namespace/name}, or just the name of an object of the whole cluster. */
    default String key() {
        return metadata().key();
    }
}
