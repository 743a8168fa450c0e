// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.ImageState;

/** The container images of all nodes of a snapshot, which its nodes share. */
final class SnapshotImages {
    private Map<String, ImageState> stateByName = Map.of();

    void replace(Map<String, ImageState> all) {
        stateByName = all;
    }

    /** Replaces the images by those of another snapshot. */
    void replaceBy(SnapshotImages other) {
        stateByName = other.stateByName;
    }

    @Nullable
    ImageState find(String name) {
        return stateByName.get(name);
    }
}
