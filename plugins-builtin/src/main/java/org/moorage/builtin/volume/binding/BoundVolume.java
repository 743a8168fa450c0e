// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.plugin.PluginException;
import org.moorage.builtin.volume.CsiMigration;

/** A volume that a claim is bound to, and the nodes from which it can be reached. Immutable. */
final class BoundVolume {
    private final @Nullable NodeSelector affinity;
    /** The in-tree volume plugin that it belongs to, which a CSI driver may replace; empty for other volumes. */
    private final String plugin;
    /** The node affinity translated for the CSI driver; empty if it cannot be translated. */
    private final Optional<NodeSelector> driverAffinity;

    private final String failure;

    BoundVolume(PersistentVolume volume) {
        affinity = volume.nodeAffinity().orElse(null);
        Optional<InTreeVolume> disk = volume.inTreeVolume().filter(known -> CsiMigration.isMigrated(known.type()));
        plugin = disk.map(known -> CsiMigration.plugin(known.type())).orElse("");
        Optional<NodeSelector> translated = Optional.empty();
        String why = "";
        if (disk.isPresent()) {
            try {
                translated = CsiMigration.nodeAffinity(volume, disk.get());
            } catch (IllegalArgumentException notOfTheDriver) {
                why = "could not translate pv: " + notOfTheDriver.getMessage();
            }
        }
        driverAffinity = translated;
        failure = why;
    }

    /** Returns whether it matters which in-tree plugins are migrated to a driver on the node. */
    boolean needsCsiNode() {
        return !plugin.isEmpty();
    }

    /**
     * Returns whether the volume can be reached from a node.
     *
     * @param csiNode the CSINode of the node; null if it has none
     * @throws PluginException if a CSI driver replaces the in-tree plugin on the node but does not support the volume
     */
    boolean isReachable(Node node, @Nullable CsiNode csiNode) {
        NodeSelector counts = affinity;
        if (csiNode != null && !plugin.isEmpty() && csiNode.hasMigrated(plugin)) {
            if (!failure.isEmpty()) {
                throw new PluginException(failure);
            }
            counts = driverAffinity.orElse(null);
        }
        return counts == null || counts.matchesLabels(node.labels());
    }
}
