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
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.StorageClass;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;

/**
 * Rejects nodes outside the zones and regions in the labels of the persistent volumes that the pod's claims are bound
 * to. Same decisions as kube-scheduler's VolumeZone.
 */
public final class VolumeZone implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "VolumeZone";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, VolumeZone.class, VolumeZone::new);

    private static final Status ZONE_CONFLICT = Status.unresolvable("node(s) had no available volume zone");
    private static final Status CLAIM_WITHOUT_NAME = Status.unresolvable("PersistentVolumeClaim had no name");
    private static final Status VOLUME_WITHOUT_NAME = Status.unresolvable("PersistentVolume had no name");
    private static final Status CLAIM_WITHOUT_VOLUME_AND_CLASS =
            Status.unresolvable("PersistentVolumeClaim had no pv name and storageClass name");

    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String REGION = "topology.kubernetes.io/region";
    private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
    private static final String BETA_REGION = "failure-domain.beta.kubernetes.io/region";
    private static final List<String> KEYS = List.of(BETA_ZONE, BETA_REGION, ZONE, REGION);

    private static final StateKey<List<VolumeTopology>> TOPOLOGIES = StateKey.of(NAME + "/topologies");

    /** A zone or region label of a persistent volume, and the values that the label of a node may have. */
    private record VolumeTopology(String key, Set<String> values) {
        private static List<VolumeTopology> of(PersistentVolume volume) {
            Map<String, String> labels = volume.metadata().labels();
            List<VolumeTopology> topologies = new ArrayList<>();
            for (String key : KEYS) {
                String value = labels.get(key);
                if (value != null) {
                    values(value).ifPresent(values -> topologies.add(new VolumeTopology(key, values)));
                }
            }
            return topologies;
        }

        // A label with an empty part is ignored.
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
                value = labels.get(gaKey());
            }
            return value != null && values.contains(value);
        }

        private String gaKey() {
            return switch (key) {
                case BETA_ZONE -> ZONE;
                case BETA_REGION -> REGION;
                default -> key;
            };
        }
    }

    private final FeatureGates features;
    private final ObjectLister<PersistentVolumeClaim> claims;
    private final ObjectLister<PersistentVolume> volumes;
    private final ObjectLister<StorageClass> classes;

    VolumeZone(Handle handle) {
        features = handle.featureGates();
        claims = handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME_CLAIM);
        volumes = handle.cluster().lister(ObjectKind.PERSISTENT_VOLUME);
        classes = handle.cluster().lister(ObjectKind.STORAGE_CLASS);
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
        if (pod.spec().claimNames().isEmpty()) {
            return PreFilterResult.skip();
        }
        Optional<String> unavailable = ObjectLister.anyUnavailable(claims, volumes, classes);
        if (unavailable.isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable(unavailable.get()));
        }
        List<VolumeTopology> topologies = new ArrayList<>();
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
        if (!hasTopologyLabel(labels)) {
            // As in a cluster of a single zone, whose nodes are not labelled.
            return Status.success();
        }
        List<VolumeTopology> topologies = state.get(TOPOLOGIES);
        for (int i = 0; i < topologies.size(); i++) {
            if (!topologies.get(i).matches(labels)) {
                return ZONE_CONFLICT;
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
                        VolumeZone::afterStorageClassAdded),
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

    private static Hint afterStorageClassAdded(Pod pod, ObjectChange<StorageClass> change) {
        return Hint.queueIf(change.latest().waitsForFirstConsumer());
    }

    private static Hint afterClaimChange(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        return Hint.queueIf(change.latest().isNamedBy(pod));
    }

    private static Hint afterVolumeChange(Pod pod, ObjectChange<PersistentVolume> change) {
        return Hint.queueIf(change.before().isEmpty()
                || !VolumeTopology.of(change.before().get()).equals(VolumeTopology.of(change.latest())));
    }

    private Status addTopologies(String namespace, String claimName, List<VolumeTopology> topologies) {
        if (claimName.isEmpty()) {
            return CLAIM_WITHOUT_NAME;
        }
        Optional<PersistentVolumeClaim> claim = claims.get(namespace, claimName);
        if (claim.isEmpty()) {
            return notFound("persistentvolumeclaim", claimName);
        }
        String volumeName = claim.get().volumeName();
        if (volumeName.isEmpty()) {
            return checkUnbound(claim.get().storageClassName());
        }
        Optional<PersistentVolume> volume = volumes.get("", volumeName);
        if (volume.isEmpty()) {
            return notFound("persistentvolume", volumeName);
        }
        topologies.addAll(VolumeTopology.of(volume.get()));
        return Status.success();
    }

    private Status checkUnbound(String className) {
        if (className.isEmpty()) {
            return CLAIM_WITHOUT_VOLUME_AND_CLASS;
        }
        Optional<StorageClass> storageClass = classes.get("", className);
        if (storageClass.isEmpty()) {
            return notFound("storageclass.storage.k8s.io", className);
        }
        if (storageClass.get().volumeBindingMode().isEmpty()) {
            return Status.unresolvable("VolumeBindingMode not set for StorageClass \"" + className + "\"");
        }
        return storageClass.get().waitsForFirstConsumer() ? Status.success() : VOLUME_WITHOUT_NAME;
    }

    private static Status notFound(String kind, String name) {
        return Status.unresolvable(kind + " \"" + name + "\" not found");
    }

    private static boolean hasTopologyLabel(Map<String, String> labels) {
        for (int i = 0; i < KEYS.size(); i++) {
            if (labels.containsKey(KEYS.get(i))) {
                return true;
            }
        }
        return false;
    }
}
