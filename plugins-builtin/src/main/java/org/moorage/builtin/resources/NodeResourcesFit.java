// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
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
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.builtin.labels.LabelSyntax;

/**
 * Rejects nodes that have not enough left of what the pod requests, and scores the others by how much of their resources
 * would be used. An extended resource that a device class stands for, and that a node does not offer itself, is left to
 * DynamicResources there, and in scores the devices count. Same decisions as kube-scheduler's NodeResourcesFit.
 */
public final class NodeResourcesFit
        implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "NodeResourcesFit";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, NodeResourcesFit.class, Args.class, NodeResourcesFit::new);

    /**
     * The plugin's arguments.
     *
     * @param ignoredResources extended resources that somebody else looks after
     * @param ignoredResourceGroups the same for all resources with one of these prefixes, for example {@code example.com}
     * @param scoringStrategy how nodes are scored
     */
    public record Args(
            List<String> ignoredResources, List<String> ignoredResourceGroups, ScoringStrategy scoringStrategy)
            implements PluginArgs {
        /** Nothing is ignored, and nodes of which less is used are better. */
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
     * @param resources the resources that count; cpu and memory if there are none
     * @param requestedToCapacityRatio present just for {@link #REQUESTED_TO_CAPACITY_RATIO}
     */
    public record ScoringStrategy(
            String type, List<ResourceSpec> resources, Optional<RequestedToCapacityRatio> requestedToCapacityRatio) {
        /** The less is used, the better. */
        public static final String LEAST_ALLOCATED = "LeastAllocated";
        /** The more is used, the better. */
        public static final String MOST_ALLOCATED = "MostAllocated";
        /** Rates each utilization as the configuration says. */
        public static final String REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio";
        /** No type: a strategy that is given must name it. */
        public static final ScoringStrategy DEFAULTS = new ScoringStrategy("", List.of(), Optional.empty());

        static final String TYPES = LEAST_ALLOCATED + ", " + MOST_ALLOCATED + " or " + REQUESTED_TO_CAPACITY_RATIO;

        public ScoringStrategy {
            Objects.requireNonNull(type, "type");
            resources = resources.isEmpty() ? ResourceSpec.CPU_AND_MEMORY : List.copyOf(resources);
        }

        private void validate(Problems problems) {
            boolean shaped = type.equals(REQUESTED_TO_CAPACITY_RATIO);
            if (!shaped && !type.equals(LEAST_ALLOCATED) && !type.equals(MOST_ALLOCATED)) {
                problems.at("type").invalid(type, TYPES);
            }
            for (int i = 0; i < resources.size(); i++) {
                long weight = resources.get(i).weight();
                if (weight < 1 || weight > 100) {
                    problems.at("resources").at(i).at("weight").invalid(weight, "1 to 100");
                }
            }
            Problems ratio = problems.at("requestedToCapacityRatio");
            if (shaped && requestedToCapacityRatio.isEmpty()) {
                ratio.missing("a shape, for type " + REQUESTED_TO_CAPACITY_RATIO);
            } else if (shaped) {
                requestedToCapacityRatio.get().validate(ratio.at("shape"));
            } else if (requestedToCapacityRatio.isPresent()) {
                ratio.report("present (expected: nothing, unless type is " + REQUESTED_TO_CAPACITY_RATIO + ")");
            }
        }
    }

    /**
     * Rates utilizations.
     *
     * @param shape the ratings of some utilizations, in increasing order; between them ratings change evenly
     */
    public record RequestedToCapacityRatio(List<ShapePoint> shape) {
        /** No point. */
        public static final RequestedToCapacityRatio DEFAULTS = new RequestedToCapacityRatio(List.of());

        public RequestedToCapacityRatio {
            shape = List.copyOf(shape);
        }

        private void validate(Problems problems) {
            Ratings.validate(shape, problems);
        }
    }

    /**
     * The rating of a utilization.
     *
     * @param utilization how much is used, in percent
     * @param score the rating, from 0 to 10
     */
    public record ShapePoint(int utilization, int score) {
        /** The worst rating for what is not used. */
        public static final ShapePoint DEFAULTS = new ShapePoint(0, 0);

        /** The point as a configuration has it. */
        @Override
        public String toString() {
            return "{utilization: " + utilization + ", score: " + score + "}";
        }
    }

    private static final Set<ActionType> ADD_OR_UPDATE = addOrUpdate();
    private static final StateKey<FitRequest> REQUEST = StateKey.of(NAME + "/request");
    private static final StateKey<ScoredRequest> SCORED_REQUEST = StateKey.of(NAME + "/scoredRequest");

    private final Set<String> ignoredResources;
    private final Set<String> ignoredResourceGroups;
    private final AllocationScore allocation;
    private final DeviceResources devices;
    private final boolean readsDeviceClasses;

    NodeResourcesFit(Args args, Handle handle) {
        devices = DeviceResources.of(handle);
        readsDeviceClasses = DeviceResources.isEnabled(handle);
        ignoredResources = Set.copyOf(args.ignoredResources());
        ignoredResourceGroups = Set.copyOf(args.ignoredResourceGroups());
        allocation = new AllocationScore(args.scoringStrategy());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        state.put(REQUEST, requestOf(pod));
        return PreFilterResult.allNodes();
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return state.get(REQUEST).check(node);
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        state.put(SCORED_REQUEST, scoredRequest(pod, nodes));
        return Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Optional<ScoredRequest> known = state.find(SCORED_REQUEST);
        return allocation.of(node, known.isPresent() ? known.get() : scoredRequest(pod, List.of(node)));
    }

    private ScoredRequest scoredRequest(Pod pod, List<NodeInfo> nodes) {
        return devices.request(allocation.resources(), allocation.requestsOf(pod), nodes);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        List<EventRegistration> events = new ArrayList<>();
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.POD, ActionType.DELETE, ActionType.UPDATE_POD_SCALE_DOWN),
                Pod.class,
                this::afterPodChange));
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_ALLOCATABLE),
                Node.class,
                this::afterNodeChange));
        if (readsDeviceClasses) {
            events.add(EventRegistration.of(
                    ClusterEvent.of(EventResource.DEVICE_CLASS, ADD_OR_UPDATE),
                    DeviceClass.class,
                    NodeResourcesFit::afterDeviceClassChange));
        }
        return List.copyOf(events);
    }

    private static Set<ActionType> addOrUpdate() {
        Set<ActionType> actions = EnumSet.copyOf(ActionType.UPDATE);
        actions.add(ActionType.ADD);
        return Set.copyOf(actions);
    }

    private Hint afterPodChange(Pod pod, ObjectChange<Pod> change) {
        Pod changed = change.latest();
        if (change.after().isEmpty()) {
            boolean heldResources =
                    changed.isBound() || !changed.status().nominatedNodeName().isEmpty();
            return Hint.queueIf(heldResources);
        }
        if (changed.uid().equals(pod.uid())) {
            return Hint.QUEUE;
        }
        return Hint.queueIf(changed.isBound()
                && change.before().isPresent()
                && isLess(
                        changed.requestsAtAllLevels(),
                        change.before().get().requestsAtAllLevels(),
                        pod.requestsAtAllLevels()));
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        Node node = change.latest();
        FitRequest request = requestOf(pod);
        if (!request.fitsEmpty(node)) {
            return Hint.SKIP;
        }
        return Hint.queueIf(change.before().isEmpty()
                || offersMore(change.before().get(), node, pod.spec().requests())
                || request.usesDevices(node));
    }

    private static Hint afterDeviceClassChange(Pod pod, ObjectChange<DeviceClass> change) {
        DeviceClass after = change.latest();
        Resources wanted = pod.spec().requests();
        if (change.before().isPresent()) {
            if (change.before().get().extendedResourceName().equals(after.extendedResourceName())) {
                return Hint.SKIP;
            }
        } else if (names(wanted, DeviceClass.RESOURCE_PREFIX + after.name())) {
            return Hint.QUEUE;
        }
        return Hint.queueIf(names(wanted, after.extendedResourceName()));
    }

    private static boolean names(Resources amounts, String resource) {
        for (int i = 0; i < amounts.scalarCount(); i++) {
            if (amounts.scalarName(i).equals(resource)) {
                return true;
            }
        }
        return false;
    }

    private static boolean offersMore(Node before, Node after, Resources wanted) {
        return after.allowedPods() > before.allowedPods()
                || isLess(before.allocatableResources(), after.allocatableResources(), wanted);
    }

    private FitRequest requestOf(Pod pod) {
        Resources amounts = pod.spec().requests();
        List<ResourceName> scalars = new ArrayList<>(amounts.scalarCount());
        for (int i = 0; i < amounts.scalarCount(); i++) {
            if (amounts.scalarAmount(i) != 0 && !isIgnored(amounts.scalarName(i))) {
                scalars.add(ResourceName.of(amounts.scalarName(i)));
            }
        }
        return new FitRequest(amounts, scalars, devices.among(amounts));
    }

    private boolean isIgnored(String resource) {
        if (!ResourceName.isExtended(resource)) {
            return false;
        }
        return ignoredResources.contains(resource)
                || ignoredResourceGroups.contains(resource.substring(0, resource.indexOf('/')));
    }

    // Whether of something that is wanted there is less in one than in the other.
    private static boolean isLess(Resources one, Resources other, Resources wanted) {
        if (wanted.milliCpu() > 0 && one.milliCpu() < other.milliCpu()
                || wanted.memory() > 0 && one.memory() < other.memory()
                || wanted.ephemeralStorage() > 0 && one.ephemeralStorage() < other.ephemeralStorage()) {
            return true;
        }
        for (int i = 0; i < wanted.scalarCount(); i++) {
            ResourceName scalar = ResourceName.of(wanted.scalarName(i));
            if (wanted.scalarAmount(i) > 0 && one.amount(scalar) < other.amount(scalar)) {
                return true;
            }
        }
        return false;
    }
}
