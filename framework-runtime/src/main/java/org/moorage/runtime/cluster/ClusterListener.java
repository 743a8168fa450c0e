// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.Collection;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/** Is told what objects a {@link Cluster} has. */
public interface ClusterListener {
    /** These are now all the objects of the kind; those that were known and are not among them are gone. */
    <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects);

    /** The object came into being or changed. */
    <T extends ClusterObject> void applied(ObjectKind<T> kind, T object);

    /** The object is gone. */
    <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object);
}
