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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.PodStatus.ContainerExtendedResourceRequest;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.builtin.DeviceCounts;
import org.moorage.api.plugin.builtin.NodeAllocatableResourceClaims;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.ClusterPreBindPlugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Allocates devices to a pod's claims, and restricts the pod to nodes from which they can be used. Same decisions as
 * kube-scheduler's DynamicResources, except that the choice among several claims to deallocate for a pod is
 * deterministic.
 */
public final class DynamicResources
        implements PreEnqueuePlugin,
                PreFilterPlugin,
                FilterPlugin,
                PostFilterPlugin,
                PodGroupPostFilterPlugin,
                ScorePlugin,
                ReservePlugin,
                ClusterPreBindPlugin,
                EnqueueExtensions,
                SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "DynamicResources";

    private static final Status NOT_AVAILABLE = Status.unresolvable("resourceclaim not available on the node");
    private static final Status OF_EARLIER_ATTEMPT = Status.unresolvable("cannot schedule extended resource claim");
    private static final Status NOT_OFFERED = Status.unresolvable("cannot fit resource");
    private static final Status NOTHING_TO_DO = Status.unschedulable();
    private static final Status DEALLOCATED = Status.unschedulable("deallocation of ResourceClaim completed");
    private static final Status DELETED = Status.unschedulable("deletion of ResourceClaim completed");

    /**
     * The plugin's arguments. Each may only be set if its feature is enabled.
     *
     * @param filterTimeout how long the search for devices may take for one node; 0 or empty for no limit
     * @param bindingTimeout how long devices may take to become ready; empty for ten minutes
     */
    public record Args(Optional<Duration> filterTimeout, Optional<Duration> bindingTimeout) implements PluginArgs {
        /** No explicit timeouts: the features' defaults apply, ten seconds and ten minutes. */
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
            if (!features.bindingConditions() && bindingTimeout.isPresent()) {
                problems.at("bindingTimeout")
                        .invalid(
                                bindingTimeout.get(),
                                "nothing, DRADeviceBindingConditions or DRAResourceClaimDeviceStatus is off");
            }
            return new Args(
                    features.filterTimeout() ? Optional.of(filterTimeout.orElse(FILTER_TIMEOUT)) : Optional.empty(),
                    features.bindingConditions()
                            ? Optional.of(bindingTimeout.orElse(BINDING_TIMEOUT))
                            : Optional.empty());
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

    private static final String NO_CLAIMS = "no claims";

    private static final StateKey<StateData> STATE = StateKey.of(NAME + "/state");
    private static final StateKey<Long> RELEASES = StateKey.of(NAME + "/releases");
    private static final StateKey<ResourceClaim> TO_DEALLOCATE = StateKey.of(NAME + "/toDeallocate");

    private final FeatureGates gates;
    private final DeviceFeatures features;
    private final Duration filterTimeout;
    private final Duration bindingTimeout;
    private final ObjectLister<DeviceClass> classes;
    private final ObjectLister<ResourceSlice> slices;
    private final ObjectLister<ResourceClaim> listedClaims;
    // Empty while the feature is off.
    private final Optional<ObjectLister<DeviceTaintRule>> taintRules;
    private final ClaimTracker tracker;
    private final PodResourceClaims podClaims;
    private final DeviceClassValidation validation;
    private final ClaimBinder binder;
    private final ClaimReservations reservations;
    private final GroupPostFilter groupPostFilter;
    private final InstantSource clock;
    private final InstantSource monotonicClock;
    private final RandomGenerator random;
    private final DeviceSelectors selectors;
    private final AtomicReference<ResourceSliceIndex> sliceIndex = new AtomicReference<>(ResourceSliceIndex.EMPTY);

    /**
     * Returns a factory. Plugins that it creates with the same features share their compiled expressions.
     */
    public static PluginFactory<Args> factory() {
        Map<DeviceFeatures, DeviceSelectors> selectorsByFeatures = new ConcurrentHashMap<>();
        return PluginFactory.of(NAME, DynamicResources.class, Args.class, (args, handle) -> {
            DeviceFeatures features = DeviceFeatures.of(handle.featureGates());
            DeviceSelectors selectors = selectorsByFeatures.computeIfAbsent(features, DeviceSelectors::new);
            return new DynamicResources(args, handle, features, selectors);
        });
    }

    private DynamicResources(Args args, Handle handle, DeviceFeatures features, DeviceSelectors selectors) {
        this.features = features;
        this.selectors = selectors;
        filterTimeout = features.filterTimeout() ? args.filterTimeout().orElse(Duration.ZERO) : Duration.ZERO;
        bindingTimeout = args.bindingTimeout().orElse(Args.BINDING_TIMEOUT);
        classes = handle.cluster().lister(ObjectKind.DEVICE_CLASS);
        slices = handle.cluster().lister(ObjectKind.RESOURCE_SLICE);
        taintRules = features.deviceTaintRules()
                ? Optional.of(handle.cluster().lister(ObjectKind.DEVICE_TAINT_RULE))
                : Optional.empty();
        listedClaims = handle.cluster().lister(ObjectKind.RESOURCE_CLAIM);
        tracker = handle.shared(ClaimTracker.KEY, () -> {
            ClaimTracker made = new ClaimTracker(
                    listedClaims,
                    handle.cluster().lister(ObjectKind.POD),
                    features,
                    handle.queue()::activateAfterBackoff);
            handle.cluster().onChange(ObjectKind.RESOURCE_CLAIM, made::changed);
            // Not Handle.tasks().background, since the metrics count its tasks as preemptions.
            FirstClaim first =
                    new FirstClaim(task -> handle.tasks().backgroundAfter(Duration.ZERO, task), classes, selectors);
            handle.cluster().onChange(ObjectKind.RESOURCE_CLAIM, first::changed);
            handle.cluster().onChange(ObjectKind.POD, made::podChanged);
            handle.cluster().onChange(ObjectKind.POD, new UnseenClaims(handle, made)::podChanged);
            return made;
        });
        handle.shared(DeviceCounts.SHARED, () -> new DeviceCounter(slices, tracker, selectors));
        clock = handle.clock();
        monotonicClock = handle.monotonicClock();
        random = handle.random();
        gates = handle.featureGates();
        podClaims = new PodResourceClaims(tracker, features);
        validation = new DeviceClassValidation(classes, features);
        binder = new ClaimBinder(handle, tracker, bindingTimeout, features);
        reservations = new ClaimReservations(tracker, binder, features);
        groupPostFilter = new GroupPostFilter(podClaims, binder, features, handle.cluster()::podGroups);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preEnqueue(Pod pod) {
        if (!pod.spec().resourceClaims().isEmpty() && unavailable().isPresent()) {
            // PreFilter rejects the pod for this, since the scheduling cycle reports the reason on the pod.
            return Status.success();
        }
        return podClaims.of(pod).problem().map(Status::unresolvable).orElse(Status.success());
    }

    // Why objects of a kind that claims need are unavailable; empty if all kinds are available.
    private Optional<String> unavailable() {
        return ObjectLister.anyUnavailable(listedClaims, classes, slices);
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        state.put(STATE, StateData.EMPTY);
        state.put(RELEASES, tracker.releases());
        if (gates.isTriedForResize(pod)) {
            return PreFilterResult.skip();
        }
        Optional<GroupClaims> group = GroupClaims.ofMember(state);
        group.ifPresent(known -> known.put(pod, ClaimStore.EMPTY));
        Optional<String> unavailable = pod.spec().resourceClaims().isEmpty() ? Optional.empty() : unavailable();
        if (unavailable.isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable(unavailable.get()));
        }
        PodResourceClaims.Found found = podClaims.of(pod, snapshot.podGroups());
        if (found.problem().isPresent()) {
            return PreFilterResult.rejected(Status.unresolvable(found.problem().get()));
        }
        ExtendedResources extendedResources =
                features.extendedResources() ? ExtendedResources.of(pod, classes.all()) : ExtendedResources.NONE;
        Optional<ResourceClaim> extendedResourceClaim = extendedResources.isEmpty()
                ? Optional.empty()
                : Optional.of(ExtendedResources.claim(pod, tracker.in(pod.namespace()), random));
        ClaimStore ofPod = new ClaimStore(found.claims(), found.consumers(), extendedResourceClaim);
        if (ofPod.isEmpty()) {
            return PreFilterResult.skip();
        }
        ClaimStore claims = group.map(known -> withPending(ofPod, known)).orElse(ofPod);
        for (int index = 0; index < claims.all().size(); index++) {
            Optional<DeviceAllocation> allocation = claims.allocation(index);
            if (allocation.isPresent()) {
                checkNodeSelector(allocation.get());
                continue;
            }
            ResourceClaim claim = claims.all().get(index);
            if (tracker.hasInFlightAllocation(claim)) {
                return PreFilterResult.rejected(
                        Status.unresolvable("resource claim " + claim.key() + " is in the process of being allocated"));
            }
            Optional<String> problem =
                    claims.isExtendedResourceClaim(index) ? Optional.empty() : validation.problem(claim);
            if (problem.isPresent()) {
                return PreFilterResult.rejected(Status.unresolvable(problem.get()));
            }
        }
        boolean countsNodeResources = features.nodeAllocatableResources();
        boolean needsSlices = countsNodeResources || !claims.toAllocate().isEmpty();
        ResourceSliceIndex current = needsSlices ? currentSlices(snapshot) : ResourceSliceIndex.EMPTY;
        state.put(
                STATE,
                new StateData(
                        claims,
                        extendedResources,
                        claims.toAllocate().size() == claims.pendingCount()
                                ? Optional.empty()
                                : Optional.of(allocator(current)),
                        countsNodeResources
                                ? Optional.of(new NodeAllocatableResources(pod, claims, current, features))
                                : Optional.empty(),
                        group.map(known -> known.put(pod, claims))));
        return PreFilterResult.allNodes();
    }

    private static void checkNodeSelector(DeviceAllocation allocation) {
        allocation.nodeSelector().flatMap(NodeSelector::parseError).ifPresent(error -> {
            throw new AllocationException(error);
        });
    }

    // Adds the allocations that other pods of the group got for the claims in the same simulation.
    private ClaimStore withPending(ClaimStore claims, GroupClaims group) {
        Map<Integer, DeviceAllocation> pending = new HashMap<>();
        for (int index : claims.toAllocate()) {
            tracker.inFlightAllocation(claims.all().get(index), group)
                    .ifPresent(allocation -> pending.put(index, allocation));
        }
        return claims.withPending(pending);
    }

    private ResourceSliceIndex currentSlices(Snapshot snapshot) {
        Collection<DeviceTaintRule> rules =
                taintRules.<Collection<DeviceTaintRule>>map(ObjectLister::all).orElse(List.of());
        ResourceSliceIndex current = sliceIndex.updateAndGet(known -> known.with(slices.all(), rules));
        current.keepAtMost(2 * snapshot.nodes().size());
        return current;
    }

    private Allocator allocator(ResourceSliceIndex current) {
        return new Allocator(
                current,
                tracker.gatherAllocatedState(),
                name -> classes.get("", name),
                selectors,
                features,
                features.consumableCapacity() ? random.nextLong() : 0);
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        StateData data = state.get(STATE);
        ClaimStore claims = data.claims();
        if (claims.isEmpty()) {
            return Status.success();
        }
        Optional<ResourceClaim> extendedResourceClaim = claims.extendedResourceClaim();
        List<ContainerExtendedResourceRequest> mappings = List.of();
        if (extendedResourceClaim.isPresent()) {
            if (!extendedResourceClaim.get().requests().isEmpty()) {
                return OF_EARLIER_ATTEMPT;
            }
            Optional<Map<String, DeviceClass>> deviceClasses =
                    data.extendedResources().deviceClassesOn(node);
            if (deviceClasses.isEmpty()) {
                return NOT_OFFERED;
            }
            if (deviceClasses.get().isEmpty() && !claims.hasUserClaims()) {
                return Status.success();
            }
            ExtendedResourceRequests requests = ExtendedResourceRequests.of(pod, deviceClasses.get());
            extendedResourceClaim = Optional.of(extendedResourceClaim.get().withRequests(requests.requests()));
            mappings = requests.mappings();
        }
        Status availability = availability(data, node);
        if (!availability.isSuccess() && !availability.equals(NOT_AVAILABLE)) {
            return availability;
        }
        List<DeviceAllocation> allocations = List.of();
        if (claims.pendingCount() > 0) {
            Optional<Status> problem = problemOfPending(claims, node);
            if (problem.isPresent()) {
                return problem.get();
            }
        }
        if (data.allocator().isPresent()) {
            Allocator.Result result = allocate(data.allocator().get(), claims, extendedResourceClaim, node);
            if (!result.status().isSuccess()) {
                return result.status();
            }
            allocations = result.allocations();
        }
        allocations = claims.withPendingAllocations(allocations);
        List<PodStatus.NodeAllocatableResourceClaimStatus> taken = List.of();
        if (data.nodeResources().isPresent()) {
            NodeAllocatableResources.Taken ofNode = data.nodeResources().get().on(node, allocations);
            if (!ofNode.status().isSuccess()) {
                return ofNode.status();
            }
            taken = ofNode.claims();
        }
        if (!availability.isSuccess()) {
            data.member().ifPresent(member -> noteUnavailable(member, claims, node));
            return availability;
        }
        if (!taken.isEmpty()) {
            state.put(NodeAllocatableResourceClaims.KEY, node.name(), taken);
        }
        if (!claims.toAllocate().isEmpty() || !taken.isEmpty()) {
            state.put(
                    NodeAllocation.KEY, node.name(), new NodeAllocation(allocations, extendedResourceClaim, mappings));
        }
        return availability;
    }

    // Success, NOT_AVAILABLE, or that a claim cannot be shared.
    private Status availability(StateData data, NodeInfo node) {
        ClaimStore claims = data.claims();
        Status availability = Status.success();
        for (int i = 0; i < claims.all().size(); i++) {
            if (!isAvailable(claims, i, node)) {
                availability = NOT_AVAILABLE;
            }
            if (data.nodeResources().isPresent() && isUsableFrom(claims, i, node)) {
                Optional<Status> problem = data.nodeResources().get().sharingProblem(i);
                if (problem.isPresent()) {
                    return problem.get();
                }
            }
        }
        return availability;
    }

    private void noteUnavailable(GroupClaims.Member member, ClaimStore claims, NodeInfo node) {
        for (int i = 0; i < claims.all().size(); i++) {
            if (!isAvailable(claims, i, node)) {
                member.addUnavailable(i);
            }
        }
    }

    // Whether the devices of a claim, if it is allocated, can be used from the node, and are ready or may become so.
    private boolean isAvailable(ClaimStore claims, int index, NodeInfo node) {
        ResourceClaim claim = claims.all().get(index);
        return isUsableFrom(claims, index, node) && (claim.allocation().isEmpty() || !hasFailedBinding(claim));
    }

    private static boolean isUsableFrom(ClaimStore claims, int index, NodeInfo node) {
        Optional<DeviceAllocation> allocation = claims.allocation(index);
        if (allocation.isEmpty()) {
            return true;
        }
        boolean isSelected = allocation.get().nodeSelector().isEmpty()
                || allocation.get().nodeSelector().get().matches(node.node());
        // Allocations that are not written yet are checked by problemOfPending.
        return isSelected
                && (claims.pendingAllocation(index).isPresent() || !lacksNodeOperations(allocation.get(), node));
    }

    // Checked whether or not that feature is on: otherwise the kubelet would run node operations that the devices
    // exclude.
    private static boolean lacksNodeOperations(DeviceAllocation allocation, NodeInfo node) {
        return allocation.skipsNodeOperations() && !OptionalNodeOperations.areKnownOn(node.node());
    }

    private static Optional<Status> problemOfPending(ClaimStore claims, NodeInfo node) {
        for (int index : claims.toAllocate()) {
            Optional<DeviceAllocation> pending = claims.pendingAllocation(index);
            if (pending.isPresent() && lacksNodeOperations(pending.get(), node)) {
                return Optional.of(Status.unresolvable(
                        "resource claim " + claims.all().get(index).key()
                                + " allocation requires DRAOptionalNodeOperations feature on the node"));
            }
        }
        return Optional.empty();
    }

    private boolean hasFailedBinding(ResourceClaim claim) {
        if (!features.bindingConditions()) {
            return false;
        }
        return switch (DeviceBindingState.of(claim)) {
            case READY -> false;
            case FAILED -> true;
            case PENDING -> DeviceBindingState.isTimedOut(claim, bindingTimeout, clock.instant());
        };
    }

    private Allocator.Result allocate(
            Allocator allocator, ClaimStore claims, Optional<ResourceClaim> extendedResourceClaim, NodeInfo node) {
        List<ResourceClaim> toAllocate = new ArrayList<>(claims.toAllocate().size());
        for (int index : claims.toAllocate()) {
            if (claims.pendingAllocation(index).isPresent()) {
                continue;
            }
            toAllocate.add(
                    claims.isExtendedResourceClaim(index)
                            ? extendedResourceClaim.orElseThrow()
                            : claims.all().get(index));
        }
        try {
            return allocator.allocate(node.node(), toAllocate, deadline());
        } catch (AllocationTimeoutException late) {
            throw new AllocationException("node " + node.name() + ": timed out trying to allocate devices", late);
        }
    }

    private BooleanSupplier deadline() {
        if (filterTimeout.isZero()) {
            return () -> false;
        }
        Instant end = monotonicClock.instant().plus(filterTimeout);
        return () -> !monotonicClock.instant().isBefore(end);
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        StateData data = state.find(STATE).orElseThrow(() -> new PluginException("not found"));
        ClaimStore claims = data.claims();
        if (claims.isEmpty()) {
            return PostFilterResult.rejected(NOTHING_TO_DO);
        }
        Optional<ResourceClaim> toDeallocate = toDeallocate(claims, pod, statuses);
        if (toDeallocate.isPresent()) {
            state.put(TO_DEALLOCATE, toDeallocate.get());
            return PostFilterResult.rejected(DEALLOCATED);
        }
        return PostFilterResult.rejected(toDelete(claims).isPresent() ? DELETED : NOTHING_TO_DO);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        if (result.status().equals(DEALLOCATED)) {
            binder.deallocate(state.get(TO_DEALLOCATE));
        } else if (result.status().equals(DELETED)) {
            toDelete(state.get(STATE).claims()).ifPresent(claim -> binder.delete(claim, pod));
        }
        if (!pod.spec().resourceClaims().isEmpty() || !state.get(STATE).claims().isEmpty()) {
            tracker.turnAway(pod, state.find(RELEASES).orElse(-1L));
        }
        return CompletableFuture.completedStage(null);
    }

    // The first claim that is not available on a node that lacks nothing else, and that no other pod uses.
    private Optional<ResourceClaim> toDeallocate(ClaimStore claims, Pod pod, NodeStatuses statuses) {
        List<NodeInfo> nodes = statuses.nodesWithCode(NOT_AVAILABLE.code());
        for (int i = 0; i < claims.all().size(); i++) {
            ResourceClaim claim = claims.all().get(i);
            if (claim.allocation().isEmpty()
                    || claims.isExtendedResourceClaim(i)
                    || !isReservedForNobodyBut(pod.uid(), claim)) {
                continue;
            }
            for (NodeInfo node : nodes) {
                if (statuses.status(node).equals(NOT_AVAILABLE) && !isAvailable(claims, i, node)) {
                    return Optional.of(claim);
                }
            }
        }
        return Optional.empty();
    }

    /** Returns whether a claim is unreserved, or only reserved for the pod or group with this uid. */
    static boolean isReservedForNobodyBut(String uid, ResourceClaim claim) {
        return claim.reservedFor().isEmpty()
                || claim.reservedFor().size() == 1
                        && claim.reservedFor().get(0).uid().equals(uid);
    }

    /** Returns the claim for extended resources that an earlier attempt created, if there is one. */
    static Optional<ResourceClaim> toDelete(ClaimStore claims) {
        return claims.extendedResourceClaim().filter(claim -> !ExtendedResources.isInMemory(claim));
    }

    @Override
    public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
        boolean isSupported = group.group() instanceof PodGroup podGroup
                && (podGroup.topologyKeys().isEmpty()
                        || !gates.isEnabled(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING));
        return PodGroupPostFilterResult.rejected(
                isSupported ? groupPostFilter.decide(state, group, (PodGroup) group.group()) : NOTHING_TO_DO);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        groupPostFilter.execute(state);
        return CompletableFuture.completedStage(null);
    }

    /**
     * Signs a pod that neither names claims nor may get one for an extended resource: every node passes, with a score
     * of 0.
     */
    @Override
    public Optional<?> sign(Pod pod) {
        boolean mayHaveClaims =
                !pod.spec().resourceClaims().isEmpty() || pod.spec().requests().scalarCount() > 0;
        return mayHaveClaims ? Optional.empty() : Optional.of(NO_CLAIMS);
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        if (!features.prioritizedList()) {
            return 0;
        }
        Optional<NodeAllocation> allocation = state.find(NodeAllocation.KEY, node.name());
        return allocation.isPresent() ? allocation.get().score(state.get(STATE).claims()) : 0;
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100();
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        reservations.reserve(state, state.get(STATE), pod, nodeName);
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        state.find(STATE).ifPresent(data -> reservations.unreserve(state, data.claims(), pod, nodeName));
    }

    @Override
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return state.get(STATE).claims().isEmpty()
                ? PreBindPreFlightResult.skipInParallel()
                : PreBindPreFlightResult.runInParallel();
    }

    @Override
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        reservations.bind(state, state.get(STATE).claims(), pod, nodeName);
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
                                ClusterEvent.of(EventResource.RESOURCE_CLAIM, addUpdateOrDelete()),
                                ResourceClaim.class,
                                podClaims::isSchedulableAfterClaimChange)
                        .narrowedBy(ResourceClaim.class, PodResourceClaims::candidates),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM),
                        Pod.class,
                        podClaims::isSchedulableAfterTargetPodUpdate),
                EventRegistration.always(ClusterEvent.of(EventResource.DEVICE_CLASS, addOrUpdate())),
                EventRegistration.always(ClusterEvent.of(EventResource.RESOURCE_SLICE, addOrUpdate())));
    }

    private static Set<ActionType> addUpdateOrDelete() {
        Set<ActionType> actions = new HashSet<>(addOrUpdate());
        actions.add(ActionType.DELETE);
        return actions;
    }

    private static Set<ActionType> addOrUpdate() {
        Set<ActionType> actions = new HashSet<>(ActionType.UPDATE);
        actions.add(ActionType.ADD);
        return actions;
    }
}
