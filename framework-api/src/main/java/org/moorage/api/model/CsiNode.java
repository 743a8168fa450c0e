// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.OptionalInt;

/**
 * What storage drivers say of the node of the same name.
 *
 * @param metadata the node's name, and annotations
 * @param drivers the drivers on the node
 */
public record CsiNode(ObjectMeta metadata, List<Driver> drivers) implements ClusterObject {
    /** The annotation that names, with commas, the volume plugins in whose place a driver stands on the node. */
    public static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";

    public CsiNode {
        drivers = List.copyOf(drivers);
    }

    /**
     * A driver on a node.
     *
     * @param name the driver's name
     * @param topologyKeys the labels of the node that say from where the driver's volumes can be reached
     * @param limit how many of the driver's volumes the node takes; empty for any number
     */
    public record Driver(String name, List<String> topologyKeys, OptionalInt limit) {
        public Driver {
            topologyKeys = List.copyOf(topologyKeys);
        }
    }

    /** Whether a driver stands in the place of this volume plugin. */
    public boolean hasMigrated(String plugin) {
        String all = metadata.annotations().get(MIGRATED_PLUGINS);
        if (all == null) {
            return false;
        }
        int from = all.indexOf(plugin);
        while (from >= 0) {
            int to = from + plugin.length();
            if ((from == 0 || all.charAt(from - 1) == ',') && (to == all.length() || all.charAt(to) == ',')) {
                return true;
            }
            from = all.indexOf(plugin, from + 1);
        }
        return false;
    }
}
