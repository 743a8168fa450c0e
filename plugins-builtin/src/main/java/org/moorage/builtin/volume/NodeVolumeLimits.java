// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
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
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.StorageClass;
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
import org.moorage.api.plugin.SignPlugin;
import org.moorage.api.plugin.Signature;

/**
 * Rejects nodes to which not all of the pod's volumes could be attached, because a storage driver sets a limit, or wants to
 * be there and is not. Same decisions as kube-scheduler's NodeVolumeLimits, but of several missing drivers the first by name
 * is told.
 */
public final class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeVolumeLimits";

    private static final Status TOO_MANY = Status.unschedulable("node(s) exceed max volume count");

    // What stands for the handle of a volume that is not made yet; no driver calls one like this.
    private static final String NOT_MADE = "\0";

    private static final StateKey<Demand> DEMAND = StateKey.of(NAME + "/demand");

    /**
     * What the pod needs on a node.
     *
     * @param onDriverNode its volumes on a node that has storage drivers
     * @param elsewhere the same on other nodes, where former volume plugins do their work themselves
     * @param attachedByNode the handles of the volumes that are attached to nodes, for the drivers that matter
     */
    private record Demand(
            Attachable onDriverNode, Attachable elsewhere, Map<String, Map<String, Set<String>>> attachedByNode) {}

    /** Volumes of drivers, or why it cannot be said what they are. */
    private static final class Attachable {
        private final Map<String, Set<String>> handlesByDriver = new HashMap<>();
        /** What nodes without a driver are told, by its name; only of drivers that want it so. */
        private final Map<String, Status> missingByDriver = new TreeMap<>();

        private @Nullable Status rejection;
        private @Nullable String failure;

        private void add(String driver, String handle) {
            handlesByDriver.computeIfAbsent(driver, any -> new HashSet<>()).add(handle);
        }

        private boolean isKnown() {
            return rejection == null && failure == null;
        }
    }

    /**
     * A volume of a driver.
     *
     * @param driver the driver's name
     * @param handle what the driver calls it
     */
    private record DriverVolume(String driver, String handle) {}

    private final ObjectLister<CsiNode> csiNodes;
    private final ObjectLister<PersistentVolume> volumes;
    private final ObjectLister<PersistentVolumeClaim> claims;
    private final ObjectLister<StorageClass> classes;
    private final ObjectLister<VolumeAttachment> attachments;
    private final ObjectLister<CsiDriver> drivers;
    private final boolean demandsDrivers;

    private NodeVolumeLimits(Handle handle) {
        csiNodes = handle.lister(ObjectKind.CSI_NODE);
        volumes = handle.lister(ObjectKind.PERSISTENT_VOLUME);
        claims = handle.lister(ObjectKind.PERSISTENT_VOLUME_CLAIM);
        classes = handle.lister(ObjectKind.STORAGE_CLASS);
        attachments = handle.lister(ObjectKind.VOLUME_ATTACHMENT);
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
        Attachable onDriverNode = wanted(pod, true);
        state.put(
                DEMAND,
                new Demand(onDriverNode, wanted(pod, false), attachedByNode(onDriverNode.handlesByDriver.keySet())));
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Demand demand = state.get(DEMAND);
        CsiNode csiNode = csiNodes.get("", node.name()).orElse(null);
        Attachable wanted = csiNode == null ? demand.elsewhere : demand.onDriverNode;
        if (wanted.rejection != null) {
            return wanted.rejection;
        }
        if (wanted.failure != null) {
            throw new IllegalStateException(wanted.failure);
        }
        if (!wanted.missingByDriver.isEmpty()) {
            for (Map.Entry<String, Status> missing : wanted.missingByDriver.entrySet()) {
                if (csiNode == null || !hasDriver(csiNode, missing.getKey())) {
                    return missing.getValue();
                }
            }
        }
        if (csiNode == null || wanted.handlesByDriver.isEmpty() || !isLimited(csiNode)) {
            return Status.success();
        }
        Map<String, Set<String>> used = usedBy(node.pods());
        Map<String, Set<String>> attached = demand.attachedByNode.getOrDefault(node.name(), Map.of());
        List<CsiNode.Driver> drivers = csiNode.drivers();
        for (int i = 0; i < drivers.size(); i++) {
            String driver = drivers.get(i).name();
            OptionalInt limit = drivers.get(i).limit();
            Set<String> handles = wanted.handlesByDriver.get(driver);
            if (limit.isPresent()
                    && handles != null
                    && exceeds(
                            limit.getAsInt(),
                            handles,
                            used.getOrDefault(driver, Set.of()),
                            attached.getOrDefault(driver, Set.of()))) {
                return TOO_MANY;
            }
        }
        return Status.success();
    }

    @Override
    public Signature sign(Pod pod) {
        return VolumeSignature.of(pod);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ClusterEvent.of(EventResource.CSI_NODE, ActionType.ADD)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.CSI_NODE, EnumSet.copyOf(ActionType.UPDATE)),
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
        boolean hadNode =
                deleted.isBound() || !deleted.status().nominatedNodeName().isEmpty();
        return Hint.queueIf(hadNode && isConcerned(deleted));
    }

    private static Hint afterNewClaim(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        PersistentVolumeClaim claim = change.latest();
        if (claim.namespace().equals(pod.namespace())) {
            for (Volume volume : pod.spec().volumes()) {
                if (volume.isClaim() && volume.claimName(pod).equals(claim.name())) {
                    return Hint.QUEUE;
                }
            }
        }
        return Hint.SKIP;
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

    private Attachable wanted(Pod pod, boolean hasDrivers) {
        Attachable wanted = new Attachable();
        for (Volume volume : pod.spec().volumes()) {
            if (volume.isClaim()) {
                addClaim(wanted, pod, volume, hasDrivers);
            } else if (hasDrivers && volume.source() instanceof CloudDisk disk && CsiMigration.isOn(disk.type())) {
                try {
                    wanted.add(CsiMigration.driver(disk.type()), CsiMigration.handle(disk));
                } catch (IllegalArgumentException notOfTheDriver) {
                    wanted.failure = untranslated(volume, notOfTheDriver);
                }
            }
            if (!wanted.isKnown()) {
                break;
            }
        }
        if (demandsDrivers) {
            for (String driver : wanted.handlesByDriver.keySet()) {
                drivers.get("", driver)
                        .filter(CsiDriver::preventPodSchedulingIfMissing)
                        .ifPresent(found -> wanted.missingByDriver.put(
                                driver, Status.unschedulable(driver + " CSI driver is not installed on the node")));
            }
        }
        return wanted;
    }

    private void addClaim(Attachable wanted, Pod pod, Volume volume, boolean hasDrivers) {
        String name = volume.claimName(pod);
        if (name.isEmpty()) {
            wanted.failure = "PersistentVolumeClaim had no name";
            return;
        }
        Optional<PersistentVolumeClaim> claim = claims.get(pod.namespace(), name);
        if (claim.isEmpty()) {
            wanted.rejection = Status.unresolvable("looking up PVC " + pod.namespace() + "/" + name
                    + ": persistentvolumeclaim \"" + name + "\" not found");
        } else if (isForeign(volume, claim.get(), pod)) {
            wanted.failure = notOwned(claim.get(), pod);
        } else {
            DriverVolume found = driverVolume(claim.get(), hasDrivers);
            if (found != null) {
                wanted.add(found.driver, found.handle);
            }
        }
    }

    private Map<String, Map<String, Set<String>>> attachedByNode(Set<String> drivers) {
        Map<String, Map<String, Set<String>>> byNode = new HashMap<>();
        if (drivers.isEmpty()) {
            return byNode;
        }
        for (VolumeAttachment attachment : attachments.all()) {
            if (drivers.contains(attachment.attacher())
                    && !attachment.volumeName().isEmpty()) {
                volumes.get("", attachment.volumeName())
                        .flatMap(PersistentVolume::csi)
                        .ifPresent(csi -> byNode.computeIfAbsent(attachment.nodeName(), any -> new HashMap<>())
                                .computeIfAbsent(attachment.attacher(), any -> new HashSet<>())
                                .add(csi.handle()));
            }
        }
        return byNode;
    }

    private static boolean hasDriver(CsiNode node, String driver) {
        for (int i = 0; i < node.drivers().size(); i++) {
            if (node.drivers().get(i).name().equals(driver)) {
                return true;
            }
        }
        return false;
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

    private Map<String, Set<String>> usedBy(List<Pod> pods) {
        Map<String, Set<String>> used = new HashMap<>();
        for (int i = 0; i < pods.size(); i++) {
            Pod pod = pods.get(i);
            for (Volume volume : pod.spec().volumes()) {
                DriverVolume found = usedVolume(pod, volume);
                if (found != null) {
                    used.computeIfAbsent(found.driver, any -> new HashSet<>()).add(found.handle);
                }
            }
        }
        return used;
    }

    private @Nullable DriverVolume usedVolume(Pod pod, Volume volume) {
        if (volume.isClaim()) {
            String name = volume.claimName(pod);
            if (name.isEmpty()) {
                throw new IllegalStateException("PersistentVolumeClaim had no name");
            }
            PersistentVolumeClaim claim = claims.get(pod.namespace(), name).orElse(null);
            if (claim == null) {
                return null;
            }
            if (isForeign(volume, claim, pod)) {
                throw new IllegalStateException(notOwned(claim, pod));
            }
            return driverVolume(claim, true);
        }
        if (volume.source() instanceof CloudDisk disk && CsiMigration.isOn(disk.type())) {
            try {
                return new DriverVolume(CsiMigration.driver(disk.type()), CsiMigration.handle(disk));
            } catch (IllegalArgumentException notOfTheDriver) {
                throw new IllegalStateException(untranslated(volume, notOfTheDriver), notOfTheDriver);
            }
        }
        return null;
    }

    private static boolean isForeign(Volume volume, PersistentVolumeClaim claim, Pod pod) {
        return volume.source() instanceof Volume.EphemeralClaim && !claim.isMadeFor(pod);
    }

    private static String notOwned(PersistentVolumeClaim claim, Pod pod) {
        return "PVC " + claim.key() + " was not created for pod " + pod.key() + " (pod is not owner)";
    }

    private static String untranslated(Volume volume, IllegalArgumentException why) {
        return "converting volume(" + volume.name() + ") from inline to csi: " + why.getMessage();
    }

    private @Nullable DriverVolume driverVolume(PersistentVolumeClaim claim, boolean hasDrivers) {
        PersistentVolume volume = claim.volumeName().isEmpty()
                ? null
                : volumes.get("", claim.volumeName()).orElse(null);
        if (volume == null) {
            return volumeToBe(claim, hasDrivers);
        }
        DriverVolume found = null;
        if (volume.csi().isPresent()) {
            found = new DriverVolume(
                    volume.csi().get().driver(), volume.csi().get().handle());
        } else if (hasDrivers && volume.cloudDisk().isPresent()) {
            found = migrated(volume, volume.cloudDisk().get());
        }
        return found == null || found.driver.isEmpty() || found.handle.isEmpty() ? null : found;
    }

    private static @Nullable DriverVolume migrated(PersistentVolume volume, CloudDisk disk) {
        if (!CsiMigration.isOn(disk.type())) {
            return null;
        }
        try {
            return new DriverVolume(CsiMigration.driver(disk.type()), CsiMigration.handle(volume, disk));
        } catch (IllegalArgumentException notOfTheDriver) {
            // Not one of the driver's, so not under its limit.
            return null;
        }
    }

    private @Nullable DriverVolume volumeToBe(PersistentVolumeClaim claim, boolean hasDrivers) {
        if (claim.storageClassName().isEmpty()) {
            return null;
        }
        StorageClass storageClass = classes.get("", claim.storageClassName()).orElse(null);
        if (storageClass == null) {
            return null;
        }
        String provisioner = storageClass.provisioner();
        Optional<CloudDisk.Type> former = CsiMigration.typeOf(provisioner);
        if (former.isPresent()) {
            if (!hasDrivers || !CsiMigration.isOn(former.get())) {
                return null;
            }
            provisioner = CsiMigration.driver(former.get());
        }
        return provisioner.isEmpty() ? null : new DriverVolume(provisioner, NOT_MADE + claim.key());
    }

    /** Makes the plugin. */
    public static final class Factory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public NodeVolumeLimits create(PluginArgs.None args, Handle handle) {
            return new NodeVolumeLimits(handle);
        }
    }
}
