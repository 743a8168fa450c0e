// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.ProposedAssignment;
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
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.builtin.labels.LabelSyntax;

/**
 * Rejects nodes with insufficient resources for the pod's requests, and scores nodes by a scoring strategy. An extended
 * resource that a device class maps is delegated to DRA on nodes without an allocatable amount: DynamicResources
 * filters it, and its devices are scored. Among the placements of a group of pods, it prefers those whose nodes are
 * most allocated with them. A pod that is tried for its resize only needs what its node does not count yet. Same
 * decisions as kube-scheduler's NodeResourcesFit.
 */
public final class NodeResourcesFit
        implements PreFilterPlugin,
                FilterPlugin,
                PreScorePlugin,
                ScorePlugin,
                PlacementScorePlugin,
                EnqueueExtensions,
                SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeResourcesFit";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, NodeResourcesFit.class, Args.class, NodeResourcesFit::new);

    /**
     * The plugin's arguments.
     *
     * @param ignoredResources extended resources that are not checked
     * @param ignoredResourceGroups prefixes of extended resources that are not checked, for example {@code example.com}
     * @param scoringStrategy how nodes are scored
     */
    public record Args(
            List<String> ignoredResources, List<String> ignoredResourceGroups, ScoringStrategy scoringStrategy)
            implements PluginArgs {
        /** No resource is ignored, and the strategy is {@link ScoringStrategy#LEAST_ALLOCATED}. */
        public static final Args DEFAULTS = new Args(
                List.of(),
                List.of(),
                new ScoringStrategy(ScoringStrategy.LEAST_ALLOCATED, List.of(), Optional.empty()));

        public Args {
            ignoredResources = List.copyOf(ignoredResources);
            ignoredResourceGroups = List.copyOf(ignoredResourceGroups);
            Objects.requireNonNull(scoringStrategy, "scoringStrategy");
        }

        @Override
        public void validate(Problems problems) {
            for (int i = 0; i < ignoredResources.size(); i++) {
                if (!LabelSyntax.isKey(ignoredResources.get(i))) {
                    problems.at("ignoredResources").at(i).invalid(ignoredResources.get(i), LabelSyntax.KEY);
                }
            }
            for (int i = 0; i < ignoredResourceGroups.size(); i++) {
                String group = ignoredResourceGroups.get(i);
                if (group.indexOf('/') >= 0) {
                    problems.at("ignoredResourceGroups").at(i).invalid(group, "a prefix without '/'");
                } else if (!LabelSyntax.isKey(group)) {
                    problems.at("ignoredResourceGroups").at(i).invalid(group, LabelSyntax.KEY);
                }
            }
            scoringStrategy.validate(problems.at("scoringStrategy"));
        }
    }

    /**
     * How nodes are scored.
     *
     * @param type {@link #LEAST_ALLOCATED}, {@link #MOST_ALLOCATED} or {@link #REQUESTED_TO_CAPACITY_RATIO}
     * @param resources the resources that are scored; cpu and memory if empty
     * @param requestedToCapacityRatio present for {@link #REQUESTED_TO_CAPACITY_RATIO} only
     */
    public record ScoringStrategy(
            String type, List<ResourceSpec> resources, Optional<RequestedToCapacityRatio> requestedToCapacityRatio) {
        /** Nodes with a lower utilization score higher. */
        public static final String LEAST_ALLOCATED = "LeastAllocated";
        /** Nodes with a higher utilization score higher. */
        public static final String MOST_ALLOCATED = "MostAllocated";
        /** The configuration defines the score of each utilization. */
        public static final String REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio";
        /** No type: a configuration with a strategy must name it. */
        public static final ScoringStrategy DEFAULTS = new ScoringStrategy("", List.of(), Optional.empty());

        static final String TYPES = LEAST_ALLOCATED + ", " + MOST_ALLOCATED + " or " + REQUESTED_TO_CAPACITY_RATIO;

        public ScoringStrategy {
            Objects.requireNonNull(type, "type");
            resources = resources.isEmpty() ? ResourceSpec.CPU_AND_MEMORY : List.copyOf(resources);
        }

        private void validate(Problems problems) {
            boolean needsShape = type.equals(REQUESTED_TO_CAPACITY_RATIO);
            if (!needsShape && !type.equals(LEAST_ALLOCATED) && !type.equals(MOST_ALLOCATED)) {
                problems.at("type").invalid(type, TYPES);
            }
            for (int i = 0; i < resources.size(); i++) {
                long weight = resources.get(i).weight();
                if (weight < 1 || weight > 100) {
                    problems.at("resources").at(i).at("weight").invalid(weight, "1 to 100");
                }
            }
            Problems ratio = problems.at("requestedToCapacityRatio");
            if (needsShape && requestedToCapacityRatio.isEmpty()) {
                ratio.missing("a shape, for type " + REQUESTED_TO_CAPACITY_RATIO);
            } else if (needsShape) {
                requestedToCapacityRatio.get().validate(ratio.at("shape"));
            } else if (requestedToCapacityRatio.isPresent()) {
                ratio.report("present (expected: nothing, unless type is " + REQUESTED_TO_CAPACITY_RATIO + ")");
            }
        }
    }

    /**
     * How utilizations score.
     *
     * @param shape points by increasing utilization; between two points the score is interpolated
     */
    public record RequestedToCapacityRatio(List<UtilizationShapePoint> shape) {
        /** No points. */
        public static final RequestedToCapacityRatio DEFAULTS = new RequestedToCapacityRatio(List.of());

        public RequestedToCapacityRatio {
            shape = List.copyOf(shape);
        }

        private void validate(Problems problems) {
            FunctionShape.validate(shape, problems);
        }
    }

    /**
     * The score of a utilization.
     *
     * @param utilization the part of the capacity that is requested, in percent
     * @param score the score, from 0 to 10
     */
    public record UtilizationShapePoint(int utilization, int score) {
        /** Utilization 0, score 0. */
        public static final UtilizationShapePoint DEFAULTS = new UtilizationShapePoint(0, 0);

        /** Returns the point as in a configuration. */
        @Override
        public String toString() {
            return "{utilization: " + utilization + ", score: " + score + "}";
        }
    }

    /** The requests of a pod on which results depend. */
    private record Requested(Resources requests, Resources nonZeroRequests) {}

    private static final StateKey<FitRequest> REQUEST = StateKey.of(NAME + "/request");
    private static final StateKey<FitRequest> OWN_NODE_REQUEST = StateKey.of(NAME + "/ownNodeRequest");
    private static final StateKey<ScoringRequest> SCORING_REQUEST = StateKey.of(NAME + "/scoringRequest");

    private final Set<String> ignoredResources;
    private final Set<String> ignoredResourceGroups;
    private final ResourceAllocationScorer scorer;
    private final ResourceAllocationScorer placementScorer;
    private final DraExtendedResources draExtendedResources;
    private final boolean hasDraExtendedResources;
    private final FeatureGates features;
    private final boolean hasDeferredResizes;

    NodeResourcesFit(Args args, Handle handle) {
        features = handle.featureGates();
        hasDeferredResizes = features.isEnabled(FeatureGates.IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION);
        draExtendedResources = DraExtendedResources.of(handle);
        hasDraExtendedResources = DraExtendedResources.isEnabled(handle);
        ignoredResources = Set.copyOf(args.ignoredResources());
        ignoredResourceGroups = Set.copyOf(args.ignoredResourceGroups());
        scorer = new ResourceAllocationScorer(args.scoringStrategy());
        // Placements always use MostAllocated, regardless of the strategy for nodes.
        placementScorer = new ResourceAllocationScorer(new ScoringStrategy(
                ScoringStrategy.MOST_ALLOCATED, args.scoringStrategy().resources(), Optional.empty()));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        state.put(REQUEST, requestOf(pod, Resources.NONE));
        if (hasDeferredResizes && pod.isBound()) {
            Optional<Resources> counted = snapshot.node(pod.nodeName()).flatMap(node -> countedOn(node, pod));
            counted.ifPresent(requests -> state.put(OWN_NODE_REQUEST, requestOf(pod, requests)));
        }
        return PreFilterResult.allNodes();
    }

    @Override
    public Optional<?> sign(Pod pod) {
        if (hasDeferredResizes && pod.isBound()) {
            return Optional.empty();
        }
        PodSpec spec = pod.spec();
        if (draExtendedResources.mayBeRequested(spec.requests())) {
            return Optional.empty();
        }
        // Scores use the requests of the containers, never those of the whole pod or of its status.
        boolean areOfContainers = spec.podRequests().isEmpty()
                && pod.status().containerResources().isEmpty()
                && pod.status().podResources().isEmpty();
        return Optional.of(areOfContainers ? new Requested(spec.requests(), pod.nonZeroRequests()) : spec);
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return requestOn(node, state, pod).check(node);
    }

    @Override
    public Optional<Function<NodeInfo, Status>> nodeFilter(CycleState state, Pod pod) {
        return pod.isBound() ? Optional.empty() : Optional.of(state.get(REQUEST)::check);
    }

    private static FitRequest requestOn(NodeInfo node, CycleState state, Pod pod) {
        return pod.isBound() && pod.nodeName().equals(node.name())
                ? state.find(OWN_NODE_REQUEST).orElseGet(() -> state.get(REQUEST))
                : state.get(REQUEST);
    }

    // The requests of the pod that the node counts; empty if the pod is not on the node.
    private static Optional<Resources> countedOn(NodeInfo node, Pod pod) {
        for (Pod other : node.pods()) {
            if (other.uid().equals(pod.uid())) {
                return Optional.of(other.requestsWithClaims());
            }
        }
        return Optional.empty();
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        state.put(SCORING_REQUEST, scoringRequest(pod, nodes));
        return Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Optional<ScoringRequest> computed = state.find(SCORING_REQUEST);
        return scorer.score(node, computed.isPresent() ? computed.get() : scoringRequest(pod, List.of(node)));
    }

    @Override
    public Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
        return state.find(SCORING_REQUEST).map(request -> node -> scorer.score(node, request));
    }

    private ScoringRequest scoringRequest(Pod pod, List<NodeInfo> nodes) {
        return draExtendedResources.scoringRequest(scorer.resources(), scorer.requestsOf(pod), nodes);
    }

    @Override
    public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
        List<Pod> pods = new ArrayList<>(assignments.proposed().size());
        for (ProposedAssignment assignment : assignments.proposed()) {
            pods.add(assignment.pod());
        }
        return placementScorer.score(assignments.placement().nodes(), pods);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        List<EventRegistration> events = new ArrayList<>();
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE), Pod.class, this::afterPodDeletion));
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_ALLOCATABLE),
                Node.class,
                this::afterNodeChange));
        if (hasDraExtendedResources) {
            events.add(EventRegistration.of(
                    ClusterEvent.of(EventResource.DEVICE_CLASS, ActionType.ADD_OR_UPDATE),
                    DeviceClass.class,
                    NodeResourcesFit::afterDeviceClassChange));
        }
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.UPDATE_POD_SCALE_DOWN),
                Pod.class,
                this::afterScaleDown));
        events.add(
                EventRegistration.always(ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_SCALE_DOWN)));
        if (hasDeferredResizes) {
            events.add(EventRegistration.of(
                    ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.UPDATE_POD_SCALE_UP),
                    Pod.class,
                    this::afterScaleUp));
            events.add(EventRegistration.of(
                    ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_SCALE_UP),
                    Pod.class,
                    (pod, change) -> Hint.queueIf(features.isTriedForResize(pod))));
        }
        return List.copyOf(events);
    }

    private Hint afterPodDeletion(Pod pod, ObjectChange<Pod> change) {
        Pod deleted = change.latest();
        return Hint.queueIf(deleted.isBoundOrNominated() && concerns(pod, deleted.nodeName()));
    }

    // Only its own node matters for a resize.
    private boolean concerns(Pod pod, String nodeName) {
        return !features.isTriedForResize(pod) || nodeName.equals(pod.nodeName());
    }

    // Another pod takes room on the node, so there may be a pod to preempt now.
    private Hint afterScaleUp(Pod pod, ObjectChange<Pod> change) {
        return Hint.queueIf(
                features.isTriedForResize(pod) && change.latest().nodeName().equals(pod.nodeName()));
    }

    private Hint afterScaleDown(Pod pod, ObjectChange<Pod> change) {
        Pod changed = change.latest();
        return Hint.queueIf(changed.isBound()
                && concerns(pod, changed.nodeName())
                && change.before().isPresent()
                && hasLess(
                        changed.requestsAtAllLevels(),
                        change.before().get().requestsAtAllLevels(),
                        pod.requestsAtAllLevels()));
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        Node node = change.latest();
        FitRequest request = requestOf(pod, Resources.NONE);
        if (!concerns(pod, node.name()) || !request.fitsEmpty(node)) {
            return Hint.SKIP;
        }
        return Hint.queueIf(change.before().isEmpty()
                || hasMoreAllocatable(node, change.before().get(), pod.spec().requests())
                || request.isDelegatedToDra(node));
    }

    private static Hint afterDeviceClassChange(Pod pod, ObjectChange<DeviceClass> change) {
        DeviceClass after = change.latest();
        Resources requests = pod.spec().requests();
        if (change.before().isPresent()) {
            if (change.before().get().extendedResourceName().equals(after.extendedResourceName())) {
                return Hint.SKIP;
            }
        } else if (hasScalar(requests, DeviceClass.RESOURCE_PREFIX + after.name())) {
            return Hint.QUEUE;
        }
        return Hint.queueIf(hasScalar(requests, after.extendedResourceName()));
    }

    private FitRequest requestOf(Pod pod, Resources counted) {
        Resources requests = pod.spec().requests();
        List<ResourceName> scalars = new ArrayList<>(requests.scalarCount());
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (requests.scalarAmount(i) != 0 && !isIgnored(requests.scalarName(i))) {
                scalars.add(ResourceName.of(requests.scalarName(i)));
            }
        }
        return new FitRequest(requests, counted, scalars, draExtendedResources.mapped(requests));
    }

    private boolean isIgnored(String resource) {
        if (!ResourceName.isExtended(resource)) {
            return false;
        }
        return ignoredResources.contains(resource)
                || ignoredResourceGroups.contains(resource.substring(0, resource.indexOf('/')));
    }

    // Whether the first has less of a requested resource than the second.
    private static boolean hasLess(Resources first, Resources second, Resources requests) {
        if (requests.milliCpu() > 0 && first.milliCpu() < second.milliCpu()
                || requests.memory() > 0 && first.memory() < second.memory()
                || requests.ephemeralStorage() > 0 && first.ephemeralStorage() < second.ephemeralStorage()) {
            return true;
        }
        for (int i = 0; i < requests.scalarCount(); i++) {
            ResourceName scalar = ResourceName.of(requests.scalarName(i));
            if (requests.scalarAmount(i) > 0 && first.amount(scalar) < second.amount(scalar)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasMoreAllocatable(Node node, Node before, Resources requests) {
        return node.allowedPods() > before.allowedPods()
                || hasLess(before.allocatableResources(), node.allocatableResources(), requests);
    }

    private static boolean hasScalar(Resources requests, String resource) {
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (requests.scalarName(i).equals(resource)) {
                return true;
            }
        }
        return false;
    }
}
