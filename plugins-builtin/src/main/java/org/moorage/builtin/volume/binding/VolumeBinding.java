// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
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
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ClusterPreBindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.builtin.resources.FunctionShape;
import org.moorage.builtin.resources.NodeResourcesFit.UtilizationShapePoint;

/**
 * Rejects nodes from which the volumes of the pod's claims cannot be reached, or on which no volume can be found or
 * provisioned for unbound claims. Binds or provisions volumes for these claims before the pod is bound. Scores nodes by
 * the utilization of the volumes or of the storage, if the feature is on. Same decisions as kube-scheduler's
 * VolumeBinding, but among several volumes of one size, and several parts of the storage, the first by name is chosen.
 */
public final class VolumeBinding
        implements PreFilterPlugin,
                FilterPlugin,
                PreScorePlugin,
                ScorePlugin,
                ReservePlugin,
                ClusterPreBindPlugin,
                EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "VolumeBinding";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY = PluginFactory.of(
            NAME,
            VolumeBinding.class,
            Args.class,
            (args, handle) -> new VolumeBinding(args, handle, handle.binding()::pause));

    private static final Status UNBOUND = Status.unresolvable("pod has unbound immediate PersistentVolumeClaims");

    /**
     * The plugin's arguments.
     *
     * @param bindTimeoutSeconds how long to wait for volumes to be bound or provisioned
     * @param shape the ratings of some utilizations of storage, in increasing order; empty for {@link #EMPTIEST_FIRST}.
     *     Only with the feature {@link FeatureGates#STORAGE_CAPACITY_SCORING}
     */
    public record Args(long bindTimeoutSeconds, Optional<List<UtilizationShapePoint>> shape) implements PluginArgs {
        /** Ten minutes. */
        public static final Args DEFAULTS = new Args(600, Optional.empty());
        /** The shape in which a lower utilization scores higher. */
        public static final List<UtilizationShapePoint> EMPTIEST_FIRST =
                List.of(new UtilizationShapePoint(0, 10), new UtilizationShapePoint(100, 0));

        public Args {
            shape = shape.map(List::copyOf);
        }

        @Override
        public Args forFeatures(FeatureGates features, Problems problems) {
            if (features.isEnabled(FeatureGates.STORAGE_CAPACITY_SCORING)) {
                List<UtilizationShapePoint> rated =
                        shape.filter(points -> !points.isEmpty()).orElse(EMPTIEST_FIRST);
                return new Args(bindTimeoutSeconds, Optional.of(rated));
            }
            shape.ifPresent(points -> problems.at("shape")
                    .invalid(points, "nothing, while the feature gate StorageCapacityScoring is off"));
            return new Args(bindTimeoutSeconds, Optional.empty());
        }

        @Override
        public void validate(Problems problems) {
            if (bindTimeoutSeconds < 0) {
                problems.at("bindTimeoutSeconds").invalid(bindTimeoutSeconds, "0 or more");
            }
            shape.ifPresent(points -> FunctionShape.validate(points, problems.at("shape")));
        }
    }

    private static final StateKey<PodVolumeClaims> CLAIMS = StateKey.of(NAME + "/claims");
    private static final StateKey<PodVolumes> RESERVATION = StateKey.of(NAME + "/reservation");

    private final FeatureGates features;
    private final Claims claims;
    private final VolumeBinder binder;
    /** Empty if nodes are not scored. */
    private final Optional<FunctionShape> ratings;

    VolumeBinding(Args args, Handle handle, Pause pause) {
        features = handle.featureGates();
        claims = new Claims(handle);
        binder = new VolumeBinder(claims, handle, pause, Duration.ofSeconds(args.bindTimeoutSeconds()));
        ratings = features.isEnabled(FeatureGates.STORAGE_CAPACITY_SCORING)
                ? Optional.of(new FunctionShape(args.shape().orElse(Args.EMPTIEST_FIRST)))
                : Optional.empty();
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
        boolean hasClaims = false;
        for (Volume volume : pod.spec().volumes()) {
            if (volume.isClaim()) {
                hasClaims = true;
                Optional<String> objection = claims.objectionTo(pod, volume);
                if (objection.isPresent()) {
                    return PreFilterResult.rejected(Status.unresolvable(objection.get()));
                }
            }
        }
        if (!hasClaims) {
            return PreFilterResult.skip();
        }
        Optional<PodVolumeClaims> ofPod = claims.of(pod);
        if (ofPod.isEmpty()) {
            return PreFilterResult.rejected(UNBOUND);
        }
        state.put(CLAIMS, ofPod.get());
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return state.get(CLAIMS).on(node.node());
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        return ratings.isPresent() ? Status.success() : Status.skip();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        PodVolumeClaims ofPod = state.find(CLAIMS).orElse(null);
        return ofPod == null || ratings.isEmpty() ? 0 : ofPod.scoreOn(node.node(), ratings.get());
    }

    @Override
    public Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
        // Most pods have no claims.
        return state.find(CLAIMS).isEmpty() ? Optional.of(node -> 0) : Optional.empty();
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        PodVolumeClaims ofPod = state.find(CLAIMS).orElse(null);
        if (ofPod != null && !claims.areBound(pod)) {
            state.put(RESERVATION, binder.reserve(ofPod, nodeName));
        } else if (state.find(RESERVATION).isPresent()) {
            // The reservation is from the simulation of the pod's group; another client has bound the claims since.
            state.put(RESERVATION, PodVolumes.NONE);
        }
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        state.find(RESERVATION).ifPresent(binder::giveBack);
    }

    @Override
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return state.find(RESERVATION).filter(found -> !found.isEmpty()).isPresent()
                ? PreBindPreFlightResult.runInParallel()
                : PreBindPreFlightResult.skipInParallel();
    }

    @Override
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        PodVolumes reservation = state.find(RESERVATION).orElse(null);
        if (reservation != null) {
            binder.write(reservation, pod, written -> state.put(RESERVATION, written));
            binder.await(reservation, pod, nodeName);
        }
        return Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(EventResource.STORAGE_CLASS, ActionType.ADD_OR_UPDATE),
                        StorageClass.class,
                        VolumeBinding::afterClassChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD_OR_UPDATE),
                        PersistentVolumeClaim.class,
                        VolumeBinding::afterClaimChange),
                EventRegistration.always(ClusterEvent.of(EventResource.PERSISTENT_VOLUME, ActionType.ADD_OR_UPDATE)),
                EventRegistration.always(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_LABEL)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.CSI_NODE, ActionType.ADD_OR_UPDATE),
                        CsiNode.class,
                        VolumeBinding::afterCsiNodeChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.CSI_DRIVER, ActionType.UPDATE),
                        CsiDriver.class,
                        VolumeBinding::afterDriverUpdate),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.CSI_STORAGE_CAPACITY, ActionType.ADD_OR_UPDATE),
                        CsiStorageCapacity.class,
                        VolumeBinding::afterCapacityChange));
    }

    private static Hint afterClassChange(Pod pod, ObjectChange<StorageClass> change) {
        return Hint.queueIf(change.before().isEmpty()
                || !change.before()
                        .get()
                        .allowedTopologies()
                        .equals(change.latest().allowedTopologies()));
    }

    private static Hint afterClaimChange(Pod pod, ObjectChange<PersistentVolumeClaim> change) {
        return Hint.queueIf(change.latest().isUsedBy(pod));
    }

    private static Hint afterCsiNodeChange(Pod pod, ObjectChange<CsiNode> change) {
        return Hint.queueIf(change.before().isEmpty()
                || !migratedPlugins(change.before().get()).equals(migratedPlugins(change.latest())));
    }

    private static String migratedPlugins(CsiNode node) {
        return node.metadata().annotations().getOrDefault(CsiNode.MIGRATED_PLUGINS, "");
    }

    private static Hint afterDriverUpdate(Pod pod, ObjectChange<CsiDriver> change) {
        boolean freed = change.before().isPresent()
                && change.before().get().storageCapacity()
                && !change.latest().storageCapacity();
        if (freed) {
            for (Volume volume : pod.spec().volumes()) {
                if (volume.source() instanceof Volume.InlineCsi inline
                        && inline.driver().equals(change.latest().name())) {
                    return Hint.QUEUE;
                }
            }
        }
        return Hint.SKIP;
    }

    private static Hint afterCapacityChange(Pod pod, ObjectChange<CsiStorageCapacity> change) {
        if (change.before().isEmpty()) {
            return Hint.QUEUE;
        }
        Optional<Quantity> before = change.before().get().volumeLimit();
        Optional<Quantity> after = change.latest().volumeLimit();
        return Hint.queueIf(after.isPresent()
                && (before.isEmpty() || after.get().value() > before.get().value()));
    }
}
