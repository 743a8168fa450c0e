// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.StorageClass;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;

/**
 * Rejects nodes in other zones or regions than those that the pod's bound volumes are labelled with. Same decisions as
 * kube-scheduler's VolumeZone.
 */
public final class VolumeZone implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "VolumeZone";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, VolumeZone.class, VolumeZone::new);

    private static final Status OTHER_ZONE = Status.unresolvable("node(s) had no available volume zone");
    private static final Status UNNAMED_CLAIM = Status.unresolvable("PersistentVolumeClaim had no name");
    private static final Status UNNAMED_VOLUME = Status.unresolvable("PersistentVolume had no name");
    private static final Status NEITHER_VOLUME_NOR_CLASS =
            Status.unresolvable("PersistentVolumeClaim had no pv name and storageClass name");

    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String REGION = "topology.kubernetes.io/region";
    private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
    private static final String BETA_REGION = "failure-domain.beta.kubernetes.io/region";
    private static final List<String> KEYS = List.of(BETA_ZONE, BETA_REGION, ZONE, REGION);

    private static final StateKey<List<Topology>> TOPOLOGIES = StateKey.of(NAME + "/topologies");

    /** One of a volume's labels: what a node's label may be. */
    private record Topology(String key, Set<String> values) {
        private static List<Topology> of(PersistentVolume volume) {
            Map<String, String> labels = volume.metadata().labels();
            List<Topology> topologies = new ArrayList<>();
            for (String key : KEYS) {
                String value = labels.get(key);
                if (value != null) {
                    values(value).ifPresent(values -> topologies.add(new Topology(key, values)));
                }
            }
            return topologies;
        }

        // A list with an empty part says nothing at all.
        private static Optional<Set<String>> values(String label) {
            Set<String> values = new HashSet<>();
            for (String value : label.split("__", -1)) {
                if (value.isBlank()) {
                    return Optional.empty();
                }
                values.add(value.strip());
            }
            return Optional.of(Set.copyOf(values));
        }

        private boolean matches(Map<String, String> labels) {
            String value = labels.get(key);
            if (value == null) {
                value = labels.get(stableKey());
            }
            return value != null && values.contains(value);
        }

        private String stableKey() {
            return switch (key) {
                case BETA_ZONE -> ZONE;
                case BETA_REGION -> REGION;
                default -> key;
            };
        }
    }

    private final ObjectLister<PersistentVolumeClaim> claims;
    private final ObjectLister<PersistentVolume> volumes;
    private final ObjectLister<StorageClass> classes;

    VolumeZone(Handle handle) {
        claims = handle.lister(ObjectKind.PERSISTENT_VOLUME_CLAIM);
        volumes = handle.lister(ObjectKind.PERSISTENT_VOLUME);
        classes = handle.lister(ObjectKind.STORAGE_CLASS);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        if (pod.spec().claimNames().isEmpty()) {
            return PreFilterResult.skip();
        }
        List<Topology> topologies = new ArrayList<>();
        for (String claimName : pod.spec().claimNames()) {
            Status status = addTopologies(pod.namespace(), claimName, topologies);
            if (!status.isSuccess()) {
                return PreFilterResult.rejected(status);
            }
        }
        if (topologies.isEmpty()) {
            return PreFilterResult.skip();
        }
        state.put(TOPOLOGIES, List.copyOf(topologies));
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Map<String, String> labels = node.node().labels();
        if (!isLabelled(labels)) {
            // A cluster of a single zone, which nobody has labelled.
            return Status.success();
        }
        List<Topology> topologies = state.get(TOPOLOGIES);
        for (int i = 0; i < topologies.size(); i++) {
            if (!topologies.get(i).matches(labels)) {
                return OTHER_ZONE;
            }
        }
        return Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.STORAGE_CLASS, ActionType.ADD),
                        StorageClass.class,
                        VolumeZone::afterNewClass),
                EventRegistration.always(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_LABEL)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD_OR_UPDATE),
                        PersistentVolumeClaim.class,
                        VolumeZone::afterClaimChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.PERSISTENT_VOLUME, ActionType.ADD_OR_UPDATE),
                        PersistentVolume.class,
                        VolumeZone::afterVolumeChange));
    }

    private static Hint afterNewClass(Pod pod, ObjectChange<StorageClass> change) {
        return Hint.queueIf(change.latest().isDelayed());
    }

    private static Hint afterClaimChange(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        return Hint.queueIf(change.latest().isNamedBy(pod));
    }

    private static Hint afterVolumeChange(Pod pod, ObjectChange<PersistentVolume> change) {
        return Hint.queueIf(
                change.before().isEmpty() || !Topology.of(change.before().get()).equals(Topology.of(change.latest())));
    }

    private Status addTopologies(String namespace, String claimName, List<Topology> topologies) {
        if (claimName.isEmpty()) {
            return UNNAMED_CLAIM;
        }
        Optional<PersistentVolumeClaim> claim = claims.get(namespace, claimName);
        if (claim.isEmpty()) {
            return notFound("persistentvolumeclaim", claimName);
        }
        String volumeName = claim.get().volumeName();
        if (volumeName.isEmpty()) {
            return unbound(claim.get().storageClassName());
        }
        Optional<PersistentVolume> volume = volumes.get("", volumeName);
        if (volume.isEmpty()) {
            return notFound("persistentvolume", volumeName);
        }
        topologies.addAll(Topology.of(volume.get()));
        return Status.success();
    }

    private Status unbound(String className) {
        if (className.isEmpty()) {
            return NEITHER_VOLUME_NOR_CLASS;
        }
        Optional<StorageClass> storageClass = classes.get("", className);
        if (storageClass.isEmpty()) {
            return notFound("storageclass.storage.k8s.io", className);
        }
        if (storageClass.get().volumeBindingMode().isEmpty()) {
            return Status.unresolvable("VolumeBindingMode not set for StorageClass \"" + className + "\"");
        }
        return storageClass.get().isDelayed() ? Status.success() : UNNAMED_VOLUME;
    }

    private static Status notFound(String what, String name) {
        return Status.unresolvable(what + " \"" + name + "\" not found");
    }

    private static boolean isLabelled(Map<String, String> labels) {
        for (int i = 0; i < KEYS.size(); i++) {
            if (labels.containsKey(KEYS.get(i))) {
                return true;
            }
        }
        return false;
    }
}
