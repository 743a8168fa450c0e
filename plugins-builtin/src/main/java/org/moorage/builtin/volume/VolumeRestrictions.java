// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;

/**
 * Rejects nodes with a pod that mounts a disk of the incoming pod and does not share it, and all nodes while another
 * pod uses a {@code ReadWriteOncePod} claim of the incoming pod. Same decisions as kube-scheduler's VolumeRestrictions.
 */
public final class VolumeRestrictions implements PreFilterPlugin, PreFilterExtensions, FilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "VolumeRestrictions";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, VolumeRestrictions.class, VolumeRestrictions::new);

    private static final Status DISK_CONFLICT = Status.unschedulable("node(s) had no available disk");
    private static final Status READ_WRITE_ONCE_POD_CONFLICT =
            Status.unschedulable("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode"
                    + " already in-use by another pod");

    private static final StateKey<RestrictedVolumes> RESTRICTED_VOLUMES = StateKey.of(NAME + "/restrictedVolumes");

    /**
     * The volumes of the incoming pod that it may not share with other pods.
     *
     * @param disks the disks that can conflict with a disk of another pod
     * @param readWriteOncePodClaims the names of the claims with access mode {@code ReadWriteOncePod}
     * @param conflictingPods the number of uses of these claims by other pods
     */
    private record RestrictedVolumes(
            List<Volume.Source> disks, Set<String> readWriteOncePodClaims, int conflictingPods) {
        // As in kube-scheduler, only the names of the claims are compared, so pods of other namespaces count too.
        private RestrictedVolumes with(Pod pod, int amount) {
            int change = 0;
            for (String claimName : pod.spec().claimNames()) {
                change += readWriteOncePodClaims.contains(claimName) ? amount : 0;
            }
            return change == 0 ? this : new RestrictedVolumes(disks, readWriteOncePodClaims, conflictingPods + change);
        }
    }

    private final FeatureGates features;
    private final ObjectLister<PersistentVolumeClaim> claims;

    VolumeRestrictions(Handle handle) {
        features = handle.featureGates();
        claims = handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME_CLAIM);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        if (features.isTriedForResize(pod)) {
            return PreFilterResult.skip();
        }
        if (pod.spec().volumes().isEmpty()) {
            return PreFilterResult.skip();
        }
        Optional<String> unavailable = pod.spec().claimNames().isEmpty() ? Optional.empty() : claims.unavailable();
        if (unavailable.isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable(unavailable.get()));
        }
        Set<String> readWriteOncePodClaims = new HashSet<>();
        for (String claimName : pod.spec().claimNames()) {
            Optional<PersistentVolumeClaim> claim = claims.get(pod.namespace(), claimName);
            if (claim.isEmpty()) {
                return PreFilterResult.rejected(
                        Status.unresolvable("persistentvolumeclaim \"" + claimName + "\" not found"));
            }
            if (claim.get().accessModes().contains(PersistentVolumeClaim.READ_WRITE_ONCE_POD)) {
                readWriteOncePodClaims.add(claimName);
            }
        }
        int conflictingPods = 0;
        for (String claimName : readWriteOncePodClaims) {
            conflictingPods += snapshot.isClaimInUse(pod.namespace(), claimName) ? 1 : 0;
        }
        List<Volume.Source> disks = disks(pod);
        if (disks.isEmpty() && conflictingPods == 0) {
            return PreFilterResult.skip();
        }
        state.put(
                RESTRICTED_VOLUMES, new RestrictedVolumes(disks, Set.copyOf(readWriteOncePodClaims), conflictingPods));
        return PreFilterResult.allNodes();
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.put(RESTRICTED_VOLUMES, state.get(RESTRICTED_VOLUMES).with(added, 1));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.put(RESTRICTED_VOLUMES, state.get(RESTRICTED_VOLUMES).with(removed, -1));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        RestrictedVolumes restricted = state.get(RESTRICTED_VOLUMES);
        if (!restricted.disks.isEmpty()) {
            List<Pod> pods = node.pods();
            for (int i = 0; i < pods.size(); i++) {
                if (conflicts(restricted.disks, pods.get(i))) {
                    return DISK_CONFLICT;
                }
            }
        }
        return restricted.conflictingPods > 0 ? READ_WRITE_ONCE_POD_CONFLICT : Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE),
                        Pod.class,
                        VolumeRestrictions::afterPodDeletion),
                EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD),
                        PersistentVolumeClaim.class,
                        VolumeRestrictions::afterClaimAdded));
    }

    private static Hint afterPodDeletion(Pod pod, ObjectChange<Pod> change) {
        Pod deleted = change.latest();
        return Hint.queueIf(deleted.namespace().equals(pod.namespace())
                && (conflicts(disks(pod), deleted)
                        || !Collections.disjoint(
                                pod.spec().claimNames(), deleted.spec().claimNames())));
    }

    private static Hint afterClaimAdded(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        return Hint.queueIf(change.latest().isNamedBy(pod));
    }

    private static List<Volume.Source> disks(Pod pod) {
        List<Volume.Source> disks = new ArrayList<>(0);
        for (Volume volume : pod.spec().volumes()) {
            if (isRestricted(volume.source())) {
                disks.add(volume.source());
            }
        }
        return List.copyOf(disks);
    }

    private static boolean isRestricted(Volume.Source source) {
        if (source instanceof InTreeVolume disk) {
            return disk.type() == InTreeVolume.Type.GCE_PERSISTENT_DISK
                    || disk.type() == InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE;
        }
        return source instanceof Volume.Iscsi || source instanceof Volume.Rbd;
    }

    private static boolean conflicts(List<Volume.Source> disks, Pod other) {
        List<Volume> volumes = other.spec().volumes();
        for (int i = 0; i < volumes.size(); i++) {
            for (int j = 0; j < disks.size(); j++) {
                if (conflicts(disks.get(j), volumes.get(i).source())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean conflicts(Volume.Source first, Volume.Source second) {
        if (first instanceof InTreeVolume disk && second instanceof InTreeVolume other) {
            boolean canShare =
                    disk.type() == InTreeVolume.Type.GCE_PERSISTENT_DISK && disk.readOnly() && other.readOnly();
            return disk.type() == other.type() && disk.id().equals(other.id()) && !canShare;
        }
        if (first instanceof Volume.Iscsi disk && second instanceof Volume.Iscsi other) {
            return disk.iqn().equals(other.iqn()) && !(disk.readOnly() && other.readOnly());
        }
        if (first instanceof Volume.Rbd image && second instanceof Volume.Rbd other) {
            return image.pool().equals(other.pool())
                    && image.image().equals(other.image())
                    && !(image.readOnly() && other.readOnly())
                    && !Collections.disjoint(image.monitors(), other.monitors());
        }
        return false;
    }
}
