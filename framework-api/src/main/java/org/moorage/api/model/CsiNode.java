// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.OptionalInt;

/**
 * The CSI drivers on the node of the same name.
 *
 * @param metadata the node's name, and annotations
 * @param drivers the drivers on the node
 */
public record CsiNode(ObjectMeta metadata, List<Driver> drivers) implements ClusterObject {
    /** The annotation with the in-tree plugins that are migrated on the node, separated by commas. */
    public static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";

    public CsiNode {
        drivers = List.copyOf(drivers);
    }

    /**
     * A driver on a node.
     *
     * @param name the driver's name
     * @param topologyKeys the node labels that the driver uses as topology keys
     * @param limit the maximum number of volumes of the driver on the node; empty for no limit
     */
    public record Driver(String name, List<String> topologyKeys, OptionalInt limit) {
        public Driver {
            topologyKeys = List.copyOf(topologyKeys);
        }
    }

    /** Returns whether an in-tree plugin is migrated on the node. */
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
