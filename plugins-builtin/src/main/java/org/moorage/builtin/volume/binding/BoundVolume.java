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
    /** The former volume plugin that it belongs to, where a driver may stand in; empty for other volumes. */
    private final String plugin;
    /** The nodes as the driver has them; empty if it could not tell. */
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

    /** Whether it matters which former plugins have a driver in their place on the node. */
    boolean needsCsiNode() {
        return !plugin.isEmpty();
    }

    /**
     * Whether the volume can be reached from a node.
     *
     * @param csiNode what drivers say of the node, null if nothing
     * @throws PluginException if a driver is to stand in that does not know such volumes
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
