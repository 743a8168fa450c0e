// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.ObjectLister;

/** The volumes of drivers that a pod wants, or why it cannot be said what they are. */
final class WantedVolumes {
    private final VolumeSet volumes = new VolumeSet();
    /** What nodes without a driver are told, by its name; only of drivers that want it so. */
    private final Map<String, Status> missingByDriver = new TreeMap<>();

    private @Nullable Status rejection;
    private @Nullable IllegalStateException failure;

    private WantedVolumes() {}

    /**
     * What a pod wants.
     *
     * @param hasDrivers whether on a node that has storage drivers
     */
    static WantedVolumes of(Pod pod, DriverVolumes known, boolean hasDrivers) {
        WantedVolumes wanted = new WantedVolumes();
        for (Volume volume : pod.spec().volumes()) {
            try {
                wanted.add(pod, volume, known, hasDrivers);
            } catch (IllegalStateException unknown) {
                wanted.failure = unknown;
            }
            if (wanted.rejection != null || wanted.failure != null) {
                break;
            }
        }
        return wanted;
    }

    private void add(Pod pod, Volume volume, DriverVolumes known, boolean hasDrivers) {
        DriverVolume found = null;
        if (volume.isClaim()) {
            Optional<PersistentVolumeClaim> claim = known.claim(pod, volume);
            if (claim.isEmpty()) {
                String name = volume.claimName(pod);
                rejection = Status.unresolvable("looking up PVC " + pod.namespace() + "/" + name
                        + ": persistentvolumeclaim \"" + name + "\" not found");
                return;
            }
            found = known.ofClaim(claim.get(), hasDrivers);
        } else if (hasDrivers) {
            found = DriverVolumes.ofDisk(volume);
        }
        if (found != null) {
            volumes.add(found);
        }
    }

    /** Has nodes refused that lack one of the volumes' drivers, where the driver wants that. */
    WantedVolumes demanding(ObjectLister<CsiDriver> drivers) {
        for (String driver : volumes.drivers()) {
            drivers.get("", driver)
                    .filter(CsiDriver::preventPodSchedulingIfMissing)
                    .ifPresent(found -> missingByDriver.put(
                            driver, Status.unschedulable(driver + " CSI driver is not installed on the node")));
        }
        return this;
    }

    VolumeSet volumes() {
        return volumes;
    }

    /**
     * What there is to say against a node before volumes are counted.
     *
     * @param csiNode the node's drivers, if it has any
     * @throws IllegalStateException if it cannot be said what the volumes are
     */
    Status objectionTo(@Nullable CsiNode csiNode) {
        if (rejection != null) {
            return rejection;
        }
        if (failure != null) {
            throw new IllegalStateException(failure.getMessage(), failure);
        }
        if (!missingByDriver.isEmpty()) {
            for (Map.Entry<String, Status> missing : missingByDriver.entrySet()) {
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
