// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.builtin.volume.CsiMigration;

/**
 * Rejects nodes on which the pod's volumes would exceed the volume limit of a CSI driver, and nodes without a CSI
 * driver that the pod's volumes require. Same decisions as kube-scheduler's NodeVolumeLimits, but if several drivers
 * are missing, the status names the first by name.
 */
public final class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "NodeVolumeLimits";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, NodeVolumeLimits.class, NodeVolumeLimits::new);

    private static final Status MAX_VOLUME_COUNT_EXCEEDED = Status.unschedulable("node(s) exceed max volume count");

    private static final StateKey<NodeVolumes> NODE_VOLUMES = StateKey.of(NAME + "/nodeVolumes");

    /**
     * The volumes of the incoming pod, and those attached to nodes.
     *
     * @param withCsiNode the volumes of the pod on a node with a CSINode
     * @param withoutCsiNode the same on a node without, where in-tree volumes are not migrated
     * @param attachedByNode the attached volumes of the same drivers, by the name of the node
     */
    private record NodeVolumes(
            NewVolumes withCsiNode, NewVolumes withoutCsiNode, Map<String, VolumeSet> attachedByNode) {
        private NewVolumes newVolumes(@Nullable CsiNode csiNode) {
            return csiNode == null ? withoutCsiNode : withCsiNode;
        }
    }

    private final FeatureGates features;
    private final CsiVolumes csiVolumes;
    private final ObjectLister<CsiNode> csiNodes;
    private final ObjectLister<CsiDriver> drivers;
    private final boolean requiresDrivers;

    NodeVolumeLimits(Handle handle) {
        features = handle.featureGates();
        csiVolumes = new CsiVolumes(handle);
        csiNodes = handle.cluster().lister(ObjectKind.CSI_NODE);
        drivers = handle.cluster().lister(ObjectKind.CSI_DRIVER);
        requiresDrivers = features.isEnabled(FeatureGates.VOLUME_LIMIT_SCALING);
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
        if (!hasLimitedVolumes(pod)) {
            return PreFilterResult.skip();
        }
        Optional<String> unavailable =
                csiVolumes.unavailable().or(() -> ObjectLister.anyUnavailable(csiNodes, drivers));
        if (unavailable.isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable(unavailable.get()));
        }
        NewVolumes withCsiNode = newVolumes(pod, true);
        state.put(
                NODE_VOLUMES,
                new NodeVolumes(
                        withCsiNode,
                        newVolumes(pod, false),
                        csiVolumes.attachedByNode(withCsiNode.volumes().drivers())));
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        NodeVolumes nodeVolumes = state.get(NODE_VOLUMES);
        CsiNode csiNode = csiNodes.get("", node.name()).orElse(null);
        NewVolumes newVolumes = nodeVolumes.newVolumes(csiNode);
        Status status = newVolumes.check(csiNode);
        if (!status.isSuccess()) {
            return status;
        }
        if (csiNode == null || newVolumes.volumes().isEmpty() || !isLimited(csiNode)) {
            return Status.success();
        }
        VolumeSet used = csiVolumes.usedBy(node.pods());
        VolumeSet attached = nodeVolumes.attachedByNode.get(node.name());
        for (int i = 0; i < csiNode.drivers().size(); i++) {
            String driver = csiNode.drivers().get(i).name();
            OptionalInt limit = csiNode.drivers().get(i).limit();
            if (limit.isPresent()
                    && exceeds(
                            limit.getAsInt(),
                            newVolumes.volumes().of(driver),
                            used.of(driver),
                            attached == null ? Set.of() : attached.of(driver))) {
                return MAX_VOLUME_COUNT_EXCEEDED;
            }
        }
        return Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ClusterEvent.of(EventResource.CSI_NODE, ActionType.ADD)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.CSI_NODE, ActionType.UPDATE),
                        CsiNode.class,
                        NodeVolumeLimits::afterCsiNodeUpdate),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE),
                        Pod.class,
                        NodeVolumeLimits::afterPodDeletion),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD),
                        PersistentVolumeClaim.class,
                        NodeVolumeLimits::afterClaimAdded),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.VOLUME_ATTACHMENT, ActionType.DELETE),
                        VolumeAttachment.class,
                        NodeVolumeLimits::afterAttachmentDeletion));
    }

    private static Hint afterCsiNodeUpdate(Pod pod, ObjectChange<CsiNode> change) {
        Map<String, Integer> before = new HashMap<>();
        change.before().ifPresent(node -> {
            for (CsiNode.Driver driver : node.drivers()) {
                before.put(driver.name(), driver.limit().orElse(0));
            }
        });
        for (CsiNode.Driver driver : change.latest().drivers()) {
            if (driver.limit().orElse(0) > before.getOrDefault(driver.name(), 0)) {
                return Hint.QUEUE;
            }
        }
        return Hint.SKIP;
    }

    private static Hint afterPodDeletion(Pod pod, ObjectChange<Pod> change) {
        Pod deleted = change.latest();
        return Hint.queueIf(deleted.isBoundOrNominated() && hasLimitedVolumes(deleted));
    }

    private static Hint afterClaimAdded(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        return Hint.queueIf(change.latest().isUsedBy(pod));
    }

    private static Hint afterAttachmentDeletion(Pod pod, ObjectChange<VolumeAttachment> change) {
        String attacher = change.latest().attacher();
        for (Volume volume : pod.spec().volumes()) {
            if (volume.source() instanceof Volume.Claim) {
                return Hint.QUEUE;
            }
            if (volume.source() instanceof InTreeVolume disk) {
                // Throws if the volume cannot be translated; the pod is queued then, as in kube-scheduler.
                CsiMigration.volumeHandle(disk);
                if (CsiMigration.driver(disk.type()).equals(attacher)) {
                    return Hint.QUEUE;
                }
            }
        }
        return Hint.SKIP;
    }

    private static boolean hasLimitedVolumes(Pod pod) {
        List<Volume> volumes = pod.spec().volumes();
        for (int i = 0; i < volumes.size(); i++) {
            if (volumes.get(i).isClaim() || volumes.get(i).source() instanceof InTreeVolume) {
                return true;
            }
        }
        return false;
    }

    private NewVolumes newVolumes(Pod pod, boolean hasCsiNode) {
        NewVolumes newVolumes = NewVolumes.of(pod, csiVolumes, hasCsiNode);
        return requiresDrivers ? newVolumes.requireDrivers(drivers) : newVolumes;
    }

    private static boolean isLimited(CsiNode node) {
        for (int i = 0; i < node.drivers().size(); i++) {
            if (node.drivers().get(i).limit().isPresent()) {
                return true;
            }
        }
        return false;
    }

    // As in kube-scheduler, a new volume that is attached, but not used by a pod of the node, counts twice.
    private static boolean exceeds(int limit, Set<String> newHandles, Set<String> used, Set<String> attached) {
        int count = used.size();
        for (String handle : attached) {
            count += used.contains(handle) ? 0 : 1;
        }
        boolean addsAny = false;
        for (String handle : newHandles) {
            if (!used.contains(handle)) {
                addsAny = true;
                count++;
            }
        }
        return addsAny && count > limit;
    }
}
