// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/** Is told of each change after the {@link ObjectStore} has taken note of it. */
public interface ChangeHandler {
    /** Does nothing. */
    ChangeHandler NONE = new ChangeHandler() {
        @Override
        public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {}

        @Override
        public void availabilityChanged() {}
    };

    /** An object changed. For one kind the calls come one after the other. */
    <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change);

    /** A kind of object can be listed again, or no longer. */
    void availabilityChanged();
}
