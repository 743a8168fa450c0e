// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.moorage.api.ImageState;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.Node;

/** The container images of nodes, with the number of nodes that have each. Not safe for use by several threads. */
final class NodeImages {
    private final Map<String, ImageState> stateByName = new HashMap<>();
    private long version;

    void add(Node node) {
        count(node, 1);
    }

    void remove(Node node) {
        count(node, -1);
    }

    // The first reported size is kept; nodes rarely report different sizes.
    private void count(Node node, int sign) {
        Set<String> names = new LinkedHashSet<>();
        for (ContainerImage image : node.images()) {
            for (String name : image.names()) {
                if (names.add(name)) {
                    ImageState known = stateByName.getOrDefault(name, ImageState.of(image.sizeBytes(), 0));
                    int nodes = known.nodes() + sign;
                    if (nodes == 0) {
                        stateByName.remove(name);
                    } else {
                        stateByName.put(name, ImageState.of(known.sizeBytes(), nodes));
                    }
                }
            }
        }
        if (!names.isEmpty()) {
            version++;
        }
    }

    /** Returns a number that changes whenever the images change. */
    long version() {
        return version;
    }

    Map<String, ImageState> all() {
        return Map.copyOf(stateByName);
    }
}
