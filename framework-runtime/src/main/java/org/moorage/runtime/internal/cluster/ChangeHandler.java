// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/** A handler of changes, called after the {@link ObjectStore} has applied them. */
public interface ChangeHandler {
    /** A handler that does nothing. */
    ChangeHandler NONE = new ChangeHandler() {
        @Override
        public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {}

        @Override
        public void availabilityChanged() {}
    };

    /** Called when an object changed. Calls for one kind are sequential. */
    <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change);

    /** Called when a kind of object can be listed again, or no longer. */
    void availabilityChanged();
}
