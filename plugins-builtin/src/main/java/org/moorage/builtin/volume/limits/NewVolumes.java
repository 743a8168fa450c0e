// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.cluster.ObjectLister;

/** The CSI volumes of the incoming pod, or why they cannot be determined. */
final class NewVolumes {
    private final VolumeSet volumes = new VolumeSet();
    // The rejection of nodes without a driver, by the name of the driver; only for drivers that require it.
    private final Map<String, Status> driverMissing = new TreeMap<>();

    private @Nullable Status rejection;
    private @Nullable IllegalStateException failure;

    private NewVolumes() {}

    /**
     * Returns the volumes of a pod.
     *
     * @param pod the incoming pod
     * @param csiVolumes looks up the volumes
     * @param hasCsiNode whether the node has a CSINode
     */
    static NewVolumes of(Pod pod, CsiVolumes csiVolumes, boolean hasCsiNode) {
        NewVolumes result = new NewVolumes();
        for (Volume volume : pod.spec().volumes()) {
            try {
                result.add(pod, volume, csiVolumes, hasCsiNode);
            } catch (IllegalStateException undetermined) {
                result.failure = undetermined;
            }
            if (result.rejection != null || result.failure != null) {
                break;
            }
        }
        return result;
    }

    private void add(Pod pod, Volume volume, CsiVolumes csiVolumes, boolean hasCsiNode) {
        CsiVolume csiVolume = null;
        if (volume.isClaim()) {
            Optional<PersistentVolumeClaim> claim = csiVolumes.claim(pod, volume);
            if (claim.isEmpty()) {
                String name = volume.claimName(pod);
                rejection = Status.unresolvable("looking up PVC " + pod.namespace() + "/" + name
                        + ": persistentvolumeclaim \"" + name + "\" not found");
                return;
            }
            csiVolume = csiVolumes.ofClaim(claim.get(), hasCsiNode);
        } else if (hasCsiNode) {
            csiVolume = CsiVolumes.ofInTreeVolume(volume);
        }
        if (csiVolume != null) {
            volumes.add(csiVolume);
        }
    }

    /** Requires the drivers of the volumes with {@code preventPodSchedulingIfMissing} to be on the node. */
    NewVolumes requireDrivers(ObjectLister<CsiDriver> drivers) {
        for (String driver : volumes.drivers()) {
            drivers.get("", driver)
                    .filter(CsiDriver::preventPodSchedulingIfMissing)
                    .ifPresent(required -> driverMissing.put(
                            driver, Status.unschedulable(driver + " CSI driver is not installed on the node")));
        }
        return this;
    }

    VolumeSet volumes() {
        return volumes;
    }

    /**
     * Returns success if the volumes are known and the node has the required drivers.
     *
     * @param csiNode the CSINode of the node, if it has one
     * @throws PluginException if the volumes cannot be determined
     */
    Status check(@Nullable CsiNode csiNode) {
        if (rejection != null) {
            return rejection;
        }
        if (failure != null) {
            throw new PluginException(Objects.requireNonNullElse(failure.getMessage(), ""), failure);
        }
        if (!driverMissing.isEmpty()) {
            for (Map.Entry<String, Status> missing : driverMissing.entrySet()) {
                if (csiNode == null || !hasDriver(csiNode, missing.getKey())) {
                    return missing.getValue();
                }
            }
        }
        return Status.success();
    }

    private static boolean hasDriver(CsiNode node, String driver) {
        List<CsiNode.Driver> drivers = node.drivers();
        for (int i = 0; i < drivers.size(); i++) {
            if (drivers.get(i).name().equals(driver)) {
                return true;
            }
        }
        return false;
    }
}
