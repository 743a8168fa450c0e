// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.DeviceCounts;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.NodeResourceClaims;
import org.moorage.api.plugin.NodeStatuses;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PostFilterPlugin;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.PreBindPlugin;
import org.moorage.api.plugin.PreBindPreFlightResult;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ReservePlugin;
import org.moorage.api.plugin.ScorePlugin;

/**
 * Gives a pod's claims devices, and keeps the pod to nodes from which they can be used. Same decisions as kube-scheduler's
 * DynamicResources; which of several claims that stand in a pod's way loses its devices is not left to chance.
 */
public final class DynamicResources
        implements PreEnqueuePlugin,
                PreFilterPlugin,
                FilterPlugin,
                PostFilterPlugin,
                ScorePlugin,
                ReservePlugin,
                PreBindPlugin,
                EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "DynamicResources";

    private static final Status NOT_ALLOCATED = Status.unresolvable("cannot allocate all claims");
    private static final Status NOT_AVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Status STALE = Status.unresolvable("cannot schedule extended resource claim");
    private static final Status NOT_OFFERED = Status.unresolvable("cannot fit resource");
    private static final Status NOTHING_TO_DEALLOCATE = Status.unschedulable("no new claims to deallocate");
    private static final Status DEALLOCATED = Status.unschedulable("deallocation of ResourceClaim completed");
    private static final Status DELETED = Status.unschedulable("deletion of ResourceClaim completed");
    private static final Status STILL_NOT_SCHEDULABLE = Status.unschedulable("still not schedulable");

    /**
     * The plugin's arguments. Each is only there with the features that it is about.
     *
     * @param filterTimeout how long the search for devices may take for one node; 0 or empty for no limit
     * @param bindingTimeout how long devices may take to become ready; empty for ten minutes
     */
    public record Args(Optional<Duration> filterTimeout, Optional<Duration> bindingTimeout) implements PluginArgs {
        /** What the features bring: ten seconds, and ten minutes. */
        public static final Args DEFAULTS = new Args(Optional.empty(), Optional.empty());

        private static final Duration FILTER_TIMEOUT = Duration.ofSeconds(10);
        private static final Duration BINDING_TIMEOUT = Duration.ofMinutes(10);

        public Args {
            Objects.requireNonNull(filterTimeout, "filterTimeout");
            Objects.requireNonNull(bindingTimeout, "bindingTimeout");
        }

        @Override
        public Args forFeatures(FeatureGates gates, Problems problems) {
            DeviceFeatures features = DeviceFeatures.of(gates);
            if (!features.filterTimeout() && filterTimeout.isPresent()) {
                problems.at("filterTimeout").invalid(filterTimeout.get(), "nothing, DRASchedulerFilterTimeout is off");
            }
            if (!features.readiness() && bindingTimeout.isPresent()) {
                problems.at("bindingTimeout")
                        .invalid(
                                bindingTimeout.get(),
                                "nothing, DRADeviceBindingConditions or DRAResourceClaimDeviceStatus is off");
            }
            return new Args(
                    features.filterTimeout() ? Optional.of(filterTimeout.orElse(FILTER_TIMEOUT)) : Optional.empty(),
                    features.readiness() ? Optional.of(bindingTimeout.orElse(BINDING_TIMEOUT)) : Optional.empty());
        }

        @Override
        public void validate(Problems problems) {
            if (filterTimeout.isPresent() && filterTimeout.get().isNegative()) {
                problems.at("filterTimeout").invalid(filterTimeout.get(), "0 or more");
            }
            if (bindingTimeout.isPresent() && bindingTimeout.get().compareTo(Duration.ofSeconds(1)) < 0) {
                problems.at("bindingTimeout").invalid(bindingTimeout.get(), "1s or more");
            }
        }
    }

    private static final int MOST_ALTERNATIVES = 8;
    private static final StateKey<PodClaims> CLAIMS = StateKey.of(NAME + "/claims");

    private final DeviceFeatures features;
    private final Duration filterTimeout;
    private final Duration bindingTimeout;
    private final ObjectLister<DeviceClass> classes;
    private final ObjectLister<ResourceSlice> slices;
    // Empty where nobody may look at rules.
    private final Optional<ObjectLister<DeviceTaintRule>> taintRules;
    private final ClaimTracker claims;
    private final NamedClaims named;
    private final ClaimBinder binder;
    private final Booking booking;
    private final InstantSource clock;
    private final DeviceSelectors selectors;
    private final AtomicReference<Catalog> catalog = new AtomicReference<>(Catalog.EMPTY);

    private DynamicResources(Args args, Handle handle, DeviceFeatures features, DeviceSelectors selectors) {
        this.features = features;
        this.selectors = selectors;
        filterTimeout = features.filterTimeout() ? args.filterTimeout().orElse(Duration.ZERO) : Duration.ZERO;
        bindingTimeout = args.bindingTimeout().orElse(Args.BINDING_TIMEOUT);
        classes = handle.lister(ObjectKind.DEVICE_CLASS);
        slices = handle.lister(ObjectKind.RESOURCE_SLICE);
        taintRules =
                features.taintRules() ? Optional.of(handle.lister(ObjectKind.DEVICE_TAINT_RULE)) : Optional.empty();
        ObjectLister<ResourceClaim> lister = handle.lister(ObjectKind.RESOURCE_CLAIM);
        claims = handle.shared(ClaimTracker.KEY, () -> new ClaimTracker(lister));
        handle.shared(DeviceCounts.SHARED, () -> new CountedDevices(slices, claims, selectors, features));
        clock = handle.clock();
        named = new NamedClaims(claims);
        binder = new ClaimBinder(handle, claims, bindingTimeout, features);
        booking = new Booking(claims, binder, features);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preEnqueue(Pod pod) {
        return named.of(pod, new ArrayList<>()).map(Status::unresolvable).orElse(Status.success());
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        state.put(CLAIMS, PodClaims.NONE);
        List<ResourceClaim> all = new ArrayList<>();
        Optional<String> problem = named.of(pod, all);
        if (problem.isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable(problem.get()));
        }
        Map<String, DeviceClass> classByResource =
                features.extendedResources() ? ExtendedResources.classByResource(pod, classes.all()) : Map.of();
        boolean needsDevices = !classByResource.isEmpty();
        if (needsDevices) {
            all.add(ExtendedResources.claim(pod, claims.in(pod.namespace())));
        }
        if (all.isEmpty()) {
            return PreFilterResult.skip();
        }
        boolean isComplete = true;
        for (int i = 0; i < all.size(); i++) {
            ResourceClaim claim = all.get(i);
            if (claim.allocation().isPresent()) {
                continue;
            }
            isComplete = false;
            if (claims.isInFlight(claim)) {
                return PreFilterResult.rejected(
                        Status.unresolvable("resource claim " + claim.key() + " is in the process of being allocated"));
            }
            if (!needsDevices || i < all.size() - 1) {
                Optional<String> lacking = lackingClass(claim);
                if (lacking.isPresent()) {
                    return PreFilterResult.rejected(Status.unresolvable(lacking.get()));
                }
            }
        }
        Allocator allocator = isComplete ? null : allocator();
        PodClaims pods = new PodClaims(
                all,
                needsDevices,
                needsDevices ? ExtendedResources.amounts(pod) : Map.of(),
                classByResource,
                allocator);
        state.put(CLAIMS, pods);
        if (features.nodeResources()) {
            state.put(NodeResourceClaims.KEY, pods::nodeResources);
        }
        return PreFilterResult.allNodes();
    }

    private Optional<String> lackingClass(ResourceClaim claim) {
        for (DeviceRequest request : claim.requests()) {
            if (request.alternatives().isEmpty() && request.allocationMode().isEmpty()) {
                return Optional.of(
                        "resource claim " + claim.key() + ", request " + request.name() + ": unknown request type");
            }
            if (!request.alternatives().isEmpty() && !features.alternatives()) {
                return Optional.of("resource claim " + claim.key() + ", request " + request.name()
                        + ": has subrequests, but the DRAPrioritizedList feature is disabled");
            }
            List<DeviceRequest> either = request.alternatives().isEmpty() ? List.of(request) : request.alternatives();
            for (DeviceRequest one : either) {
                String name = request.alternatives().isEmpty() ? one.name() : request.name() + "/" + one.name();
                if (one.deviceClass().isEmpty()) {
                    throw new AllocationException("request " + name + ": unsupported request type");
                }
                if (classes.get("", one.deviceClass()).isEmpty()) {
                    return Optional.of("request " + name + ": device class " + one.deviceClass() + " does not exist");
                }
            }
        }
        return Optional.empty();
    }

    private Allocator allocator() {
        Collection<DeviceTaintRule> rules =
                taintRules.<Collection<DeviceTaintRule>>map(ObjectLister::all).orElse(List.of());
        Catalog current = catalog.updateAndGet(known -> known.with(slices.all(), rules));
        return new Allocator(
                current, claims.devicesInUse(features), name -> classes.get("", name), selectors, features);
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        PodClaims pods = state.get(CLAIMS);
        if (pods.isEmpty()) {
            return Status.success();
        }
        Optional<ResourceClaim> nodeClaim = Optional.empty();
        List<PodStatus.ContainerExtendedResourceRequest> mappings = List.of();
        if (pods.extendedResourceClaim().isPresent()) {
            ResourceClaim claim = pods.extendedResourceClaim().get();
            if (!claim.requests().isEmpty()) {
                return STALE;
            }
            Map<String, DeviceClass> byDevices = new HashMap<>();
            for (String resource : pods.extendedResources().keySet()) {
                DeviceClass deviceClass = pods.classByResource().get(resource);
                if (deviceClass != null && node.allocatable(ResourceName.of(resource)) == 0) {
                    byDevices.put(resource, deviceClass);
                } else if (!isNamed(resource, node.node().allocatableResources())) {
                    return NOT_OFFERED;
                }
            }
            if (byDevices.isEmpty() && !pods.hasOwn()) {
                return Status.success();
            }
            ExtendedResources extended = ExtendedResources.of(pod, byDevices);
            nodeClaim = Optional.of(claim.withRequests(extended.requests()));
            mappings = extended.mappings();
        }
        if (features.nodeResources()) {
            Optional<Status> conflict = NodeResources.conflict(pods.all(), pod, node);
            if (conflict.isPresent()) {
                return conflict.get();
            }
        }
        boolean areAvailable = areAvailable(pods, node);
        Allocator allocator = pods.allocator();
        if (allocator != null) {
            Allocator.Outcome outcome = allocate(allocator, pods, nodeClaim, node);
            if (!outcome.problem().isEmpty()) {
                return Status.unresolvable(outcome.problem());
            }
            if (outcome.allocations().size() != pods.toAllocate().size()) {
                return NOT_ALLOCATED;
            }
            List<PodStatus.NodeResourceClaim> nodeResources = List.of();
            if (features.nodeResources()) {
                NodeResources taken = NodeResources.of(pods, outcome.allocations(), pod, allocator.catalog());
                Status fits = taken.check(pod, node);
                if (!fits.isSuccess()) {
                    return fits;
                }
                nodeResources = taken.claims();
            }
            if (areAvailable) {
                pods.plan(node.name(), new PodClaims.Plan(outcome.allocations(), nodeClaim, mappings, nodeResources));
            }
        }
        if (areAvailable) {
            return Status.success();
        }
        // Only where this is all that is wrong would it help to take such a claim's devices away.
        noteUnavailable(pods, node);
        return NOT_AVAILABLE;
    }

    private static boolean isNamed(String resource, Resources offered) {
        for (int i = 0; i < offered.scalarCount(); i++) {
            if (offered.scalarName(i).equals(resource)) {
                return true;
            }
        }
        return false;
    }

    // Whether the devices that claims have already can be used from the node, and are ready or may become so.
    private boolean areAvailable(PodClaims pods, NodeInfo node) {
        for (int i = 0; i < pods.all().size(); i++) {
            if (!isAvailable(pods.all().get(i), node)) {
                return false;
            }
        }
        return true;
    }

    private boolean isAvailable(ResourceClaim claim, NodeInfo node) {
        if (claim.allocation().isEmpty()) {
            return true;
        }
        DeviceAllocation allocation = claim.allocation().get();
        boolean isReachable = allocation.nodeSelector().isEmpty()
                || allocation.nodeSelector().get().matches(node.node());
        return isReachable && !isHopeless(claim);
    }

    private void noteUnavailable(PodClaims pods, NodeInfo node) {
        for (int i = 0; i < pods.all().size(); i++) {
            if (!isAvailable(pods.all().get(i), node)) {
                pods.unavailable(i);
            }
        }
    }

    private boolean isHopeless(ResourceClaim claim) {
        if (!features.readiness()) {
            return false;
        }
        return switch (Readiness.of(claim)) {
            case READY -> false;
            case FAILED -> true;
            case PENDING -> Readiness.isOverdue(claim, bindingTimeout, clock.instant());
        };
    }

    private Allocator.Outcome allocate(
            Allocator allocator, PodClaims pods, Optional<ResourceClaim> nodeClaim, NodeInfo node) {
        List<ResourceClaim> wanting = new ArrayList<>();
        for (int i : pods.toAllocate()) {
            wanting.add(
                    pods.isForExtendedResources(i) && nodeClaim.isPresent()
                            ? nodeClaim.get()
                            : pods.all().get(i));
        }
        try {
            return allocator.allocate(node.node(), wanting, deadline());
        } catch (SearchTimeoutException late) {
            throw new AllocationException("node " + node.name() + ": timed out trying to allocate devices", late);
        }
    }

    private BooleanSupplier deadline() {
        if (filterTimeout.isZero()) {
            return () -> false;
        }
        Instant end = clock.instant().plus(filterTimeout);
        return () -> !clock.instant().isBefore(end);
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        PodClaims pods = state.find(CLAIMS).orElseThrow(() -> new IllegalStateException("not found"));
        if (pods.isEmpty()) {
            return PostFilterResult.rejected(NOTHING_TO_DEALLOCATE);
        }
        if (deallocatable(pods, pod).isPresent()) {
            return PostFilterResult.rejected(DEALLOCATED);
        }
        return PostFilterResult.rejected(stale(pods).isPresent() ? DELETED : STILL_NOT_SCHEDULABLE);
    }

    @Override
    public void execute(CycleState state, Pod pod, PostFilterResult result) {
        if (result.status().equals(DEALLOCATED)) {
            deallocatable(state.get(CLAIMS), pod).ifPresent(binder::deallocate);
        } else if (result.status().equals(DELETED)) {
            stale(state.get(CLAIMS)).ifPresent(binder::delete);
        }
    }

    private static Optional<ResourceClaim> deallocatable(PodClaims pods, Pod pod) {
        for (int i = 0; i < pods.all().size(); i++) {
            ResourceClaim claim = pods.all().get(i);
            if (pods.isUnavailable(i) && !pods.isForExtendedResources(i) && isUsedAtMostBy(claim, pod)) {
                return Optional.of(claim);
            }
        }
        return Optional.empty();
    }

    private static Optional<ResourceClaim> stale(PodClaims pods) {
        return pods.extendedResourceClaim().filter(claim -> !ExtendedResources.isInMemory(claim));
    }

    private static boolean isUsedAtMostBy(ResourceClaim claim, Pod pod) {
        return claim.reservedFor().isEmpty()
                || claim.reservedFor().size() == 1
                        && claim.reservedFor().get(0).uid().equals(pod.uid());
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        if (!features.alternatives()) {
            return 0;
        }
        PodClaims pods = state.get(CLAIMS);
        Optional<PodClaims.Plan> plan = pods.plan(node.name());
        if (plan.isEmpty()) {
            return 0;
        }
        long score = 0;
        int next = 0;
        for (ResourceClaim claim : pods.all()) {
            DeviceAllocation allocation = claim.allocation().isPresent()
                    ? claim.allocation().get()
                    : plan.get().allocations().get(next++);
            score += score(claim, allocation);
        }
        return score;
    }

    // The earlier an alternative, the better.
    private static long score(ResourceClaim claim, DeviceAllocation allocation) {
        Set<String> used = new HashSet<>();
        for (DeviceAllocation.Result result : allocation.results()) {
            used.add(result.request());
        }
        long score = 0;
        for (DeviceRequest request : claim.requests()) {
            for (int i = 0; i < request.alternatives().size(); i++) {
                if (used.contains(
                        request.name() + "/" + request.alternatives().get(i).name())) {
                    score += MOST_ALTERNATIVES - i;
                }
            }
        }
        return score;
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100();
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        booking.reserve(state, state.get(CLAIMS), nodeName);
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        state.find(CLAIMS).ifPresent(pods -> booking.unreserve(state, pods, pod, nodeName));
    }

    @Override
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return state.get(CLAIMS).isEmpty()
                ? PreBindPreFlightResult.skipInParallel()
                : PreBindPreFlightResult.runInParallel();
    }

    @Override
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        booking.bind(state, state.get(CLAIMS), pod, nodeName);
        return Status.success();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ClusterEvent.of(
                        EventResource.NODE,
                        ActionType.ADD,
                        ActionType.UPDATE_NODE_LABEL,
                        ActionType.UPDATE_NODE_ALLOCATABLE)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.RESOURCE_CLAIM, addOrUpdate()),
                        ResourceClaim.class,
                        named::afterClaimChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM),
                        Pod.class,
                        named::afterPodChange),
                EventRegistration.always(ClusterEvent.of(EventResource.DEVICE_CLASS, addOrUpdate())),
                EventRegistration.always(ClusterEvent.of(EventResource.RESOURCE_SLICE, addOrUpdate())));
    }

    private static Set<ActionType> addOrUpdate() {
        Set<ActionType> actions = new HashSet<>(ActionType.UPDATE);
        actions.add(ActionType.ADD);
        return actions;
    }

    /** Makes the plugin. Those that it makes with the same features share the expressions that they have compiled. */
    public static final class Factory implements PluginFactory<Args> {
        private final Map<DeviceFeatures, DeviceSelectors> selectorsByFeatures = new ConcurrentHashMap<>();

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public DynamicResources create(Args args, Handle handle) {
            DeviceFeatures features = DeviceFeatures.of(handle.featureGates());
            DeviceSelectors selectors = selectorsByFeatures.computeIfAbsent(features, DeviceSelectors::new);
            return new DynamicResources(args, handle, features, selectors);
        }
    }
}
