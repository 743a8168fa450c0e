// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.moorage.api.model.CloudDisk;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.builtin.volume.CsiMigration;

/**
 * Rejects nodes to which not all of the pod's volumes could be attached, because a storage driver sets a limit, or wants to
 * be there and is not. Same decisions as kube-scheduler's NodeVolumeLimits, but of several missing drivers the first by name
 * is told.
 */
public final class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "NodeVolumeLimits";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, NodeVolumeLimits.class, NodeVolumeLimits::new);

    private static final Status TOO_MANY = Status.unschedulable("node(s) exceed max volume count");

    private static final StateKey<Demand> DEMAND = StateKey.of(NAME + "/demand");

    /**
     * What the pod needs on a node.
     *
     * @param onDriverNode its volumes on a node that has storage drivers
     * @param elsewhere the same on other nodes, where former volume plugins do their work themselves
     * @param attachedByNode the volumes that are attached to nodes, of the drivers that matter
     */
    private record Demand(WantedVolumes onDriverNode, WantedVolumes elsewhere, Map<String, VolumeSet> attachedByNode) {
        private WantedVolumes on(@Nullable CsiNode csiNode) {
            return csiNode == null ? elsewhere : onDriverNode;
        }
    }

    private final DriverVolumes volumes;
    private final ObjectLister<CsiNode> csiNodes;
    private final ObjectLister<CsiDriver> drivers;
    private final boolean demandsDrivers;

    NodeVolumeLimits(Handle handle) {
        volumes = new DriverVolumes(handle);
        csiNodes = handle.lister(ObjectKind.CSI_NODE);
        drivers = handle.lister(ObjectKind.CSI_DRIVER);
        demandsDrivers = handle.featureGates().isEnabled(FeatureGates.VOLUME_LIMIT_SCALING);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        if (!isConcerned(pod)) {
            return PreFilterResult.skip();
        }
        WantedVolumes onDriverNode = wanted(pod, true);
        state.put(
                DEMAND,
                new Demand(
                        onDriverNode,
                        wanted(pod, false),
                        volumes.attachedByNode(onDriverNode.volumes().drivers())));
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Demand demand = state.get(DEMAND);
        CsiNode csiNode = csiNodes.get("", node.name()).orElse(null);
        WantedVolumes wanted = demand.on(csiNode);
        Status objection = wanted.objectionTo(csiNode);
        if (!objection.isSuccess()) {
            return objection;
        }
        if (csiNode == null || wanted.volumes().isEmpty() || !isLimited(csiNode)) {
            return Status.success();
        }
        VolumeSet used = volumes.usedBy(node.pods());
        VolumeSet attached = demand.attachedByNode.get(node.name());
        for (int i = 0; i < csiNode.drivers().size(); i++) {
            String driver = csiNode.drivers().get(i).name();
            OptionalInt limit = csiNode.drivers().get(i).limit();
            if (limit.isPresent()
                    && exceeds(
                            limit.getAsInt(),
                            wanted.volumes().of(driver),
                            used.of(driver),
                            attached == null ? Set.of() : attached.of(driver))) {
                return TOO_MANY;
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
                        ClusterEvent.of(EventResource.POD, ActionType.DELETE),
                        Pod.class,
                        NodeVolumeLimits::afterPodDeletion),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD),
                        PersistentVolumeClaim.class,
                        NodeVolumeLimits::afterNewClaim),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.VOLUME_ATTACHMENT, ActionType.DELETE),
                        VolumeAttachment.class,
                        NodeVolumeLimits::afterDetachment));
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
        return Hint.queueIf(deleted.isBoundOrNominated() && isConcerned(deleted));
    }

    private static Hint afterNewClaim(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        return Hint.queueIf(change.latest().isUsedBy(pod));
    }

    private static Hint afterDetachment(Pod pod, ObjectChange<VolumeAttachment> change) {
        String attacher = change.latest().attacher();
        for (Volume volume : pod.spec().volumes()) {
            if (volume.source() instanceof Volume.Claim) {
                return Hint.QUEUE;
            }
            if (volume.source() instanceof CloudDisk disk) {
                // Fails for a disk that the driver does not have, which has the pod tried again.
                CsiMigration.handle(disk);
                if (CsiMigration.driver(disk.type()).equals(attacher)) {
                    return Hint.QUEUE;
                }
            }
        }
        return Hint.SKIP;
    }

    private static boolean isConcerned(Pod pod) {
        List<Volume> all = pod.spec().volumes();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).isClaim() || all.get(i).source() instanceof CloudDisk) {
                return true;
            }
        }
        return false;
    }

    private WantedVolumes wanted(Pod pod, boolean hasDrivers) {
        WantedVolumes wanted = WantedVolumes.of(pod, volumes, hasDrivers);
        return demandsDrivers ? wanted.demanding(drivers) : wanted;
    }

    private static boolean isLimited(CsiNode node) {
        for (int i = 0; i < node.drivers().size(); i++) {
            if (node.drivers().get(i).limit().isPresent()) {
                return true;
            }
        }
        return false;
    }

    // Of volumes that are attached without a pod that uses them, those that the pod wants count twice, as upstream.
    private static boolean exceeds(int limit, Set<String> wanted, Set<String> used, Set<String> attached) {
        int count = used.size();
        for (String handle : attached) {
            count += used.contains(handle) ? 0 : 1;
        }
        boolean addsAny = false;
        for (String handle : wanted) {
            if (!used.contains(handle)) {
                addsAny = true;
                count++;
            }
        }
        return addsAny && count > limit;
    }
}
