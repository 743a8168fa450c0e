// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.RemedyPlugin;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.api.plugin.point.ReservePlugin;

/**
 * Binds the pods of a group only once as many of them have a node as the group needs. A group is a PodGroup of
 * {@code scheduling.x-k8s.io/v1alpha1}; its pods have a label with its name. Groups of {@code scheduling.k8s.io} are
 * another matter: a pod should belong to one kind of group only.
 *
 * <p>Same decisions as scheduler-plugins' Coscheduling, except that a pod that fails after Permit no longer counts even
 * if its group was deleted in the meantime. A group of {@code scheduling.k8s.io} is sorted by its first pod.
 */
public final class Coscheduling
        implements QueueSortPlugin,
                PreFilterPlugin,
                PostFilterPlugin,
                ReservePlugin,
                PermitPlugin,
                EnqueueExtensions,
                RemedyPlugin {
    /** The plugin's name. */
    public static final String NAME = "Coscheduling";

    static final String LABEL = "scheduling.x-k8s.io/pod-group";
    static final ObjectKind<OtherObject> POD_GROUP =
            ObjectKind.other("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups", true);
    private static final String PODS = "pods";
    private static final Status GROUP_NOT_FOUND = Status.unschedulable("PodGroup not found");
    private static final PostFilterResult NO_GROUP =
            PostFilterResult.rejected(Status.unschedulable("can not find pod group"));
    private static final PostFilterResult KEEPS_WAITING = PostFilterResult.rejected(Status.unschedulable());
    private static final int MOST_ADDED = 1000;
    private static final Duration DEFAULT_WAIT = Duration.ofSeconds(60);
    private static final Duration LEAST_PERMITTED = Duration.ofSeconds(3);

    private final Args args;
    private final Handle handle;
    private final TypedResources<Group> groups;
    // The pods with the label by their group, whether or not the group exists.
    private final Map<String, Members> membersByGroup = new ConcurrentHashMap<>();
    // The names of the pods that have a node, also those that wait for a permit, by group.
    private final Map<String, Set<String>> assignedByGroup = new ConcurrentHashMap<>();
    private final Map<String, Instant> backedOffUntil = new ConcurrentHashMap<>();
    private final Map<String, Instant> permittedUntil = new ConcurrentHashMap<>();
    private final Map<String, Instant> lastFailedAt = new ConcurrentHashMap<>();

    /**
     * The arguments.
     *
     * @param permitWaitingTimeSeconds how long a pod waits for the others of its group, if the group does not say
     * @param podGroupBackoffSeconds how long a group is not tried after it was rejected; 0 for no such pause
     * @param podGroupRejectPercentage the percentage of missing pods up to which waiting pods keep waiting
     */
    public record Args(long permitWaitingTimeSeconds, long podGroupBackoffSeconds, int podGroupRejectPercentage)
            implements PluginArgs {
        /** One minute of waiting, and no pause after a rejection. */
        public static final Args DEFAULTS = new Args(60, 0, 10);

        @Override
        public void validate(Problems problems) {
            if (permitWaitingTimeSeconds < 0) {
                problems.at("permitWaitingTimeSeconds").invalid(permitWaitingTimeSeconds, "0 or more");
            }
            if (podGroupBackoffSeconds < 0) {
                problems.at("podGroupBackoffSeconds").invalid(podGroupBackoffSeconds, "0 or more");
            }
            if (podGroupRejectPercentage < 0 || podGroupRejectPercentage > 100) {
                problems.at("podGroupRejectPercentage").invalid(podGroupRejectPercentage, "0 to 100");
            }
        }
    }

    /** A group of pods; {@code minResources} may be unset, unlike empty. */
    private record Group(
            long minMember,
            Optional<Map<String, Quantity>> minResources,
            OptionalLong scheduleTimeoutSeconds,
            Optional<Instant> created) {
        static Group of(OtherObject object) {
            ObjectFields spec = object.fields().object("spec");
            return new Group(
                    spec.integer("minMember").orElse(0),
                    spec.names().contains("minResources")
                            ? Optional.of(spec.quantityMap("minResources"))
                            : Optional.empty(),
                    spec.integer("scheduleTimeoutSeconds"),
                    object.metadata().creationTimestamp());
        }
    }

    /** The pods of a group, and how many of them have scheduling gates. Changed by one thread at a time. */
    private static final class Members {
        static final Members NONE = new Members();

        private final Map<String, Pod> pods = new ConcurrentHashMap<>();
        private final AtomicInteger gated = new AtomicInteger();

        Members with(Pod pod) {
            replaced(pods.put(pod.name(), pod), pod);
            return this;
        }

        @Nullable
        Members without(Pod pod) {
            replaced(pods.remove(pod.name()), null);
            return pods.isEmpty() ? null : this;
        }

        private void replaced(@Nullable Pod before, @Nullable Pod after) {
            int ignored = gated.addAndGet((isGated(after) ? 1 : 0) - (isGated(before) ? 1 : 0));
        }

        private static boolean isGated(@Nullable Pod pod) {
            return pod != null && !pod.spec().schedulingGates().isEmpty();
        }
    }

    private Coscheduling(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        groups = new TypedResources<>(handle, POD_GROUP, Group::of);
        // The lister makes the scheduler watch pods before it starts.
        handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    @Override
    public String name() {
        return NAME;
    }

    // Upstream counts a pod that another scheduler binds only if it had its node when it was first seen.
    private void podChanged(ObjectChange<Pod> change) {
        Optional<Pod> before = change.before();
        Optional<Pod> after = change.after();
        before.ifPresent(pod -> nameOf(pod)
                .ifPresent(name -> membersByGroup.computeIfPresent(name, (any, members) -> members.without(pod))));
        after.ifPresent(pod -> nameOf(pod)
                .ifPresent(name -> membersByGroup.compute(
                        name, (any, members) -> (members == null ? new Members() : members).with(pod))));
        if (before.isEmpty()) {
            after.filter(Pod::isBound).flatMap(Coscheduling::nameOf).ifPresent(name -> assign(name, after.get()));
        } else if (after.isEmpty()) {
            before.filter(Pod::isBound).flatMap(Coscheduling::nameOf).ifPresent(name -> unassign(name, before.get()));
        }
    }

    private int assign(String group, Pod pod) {
        return assignedByGroup
                .compute(group, (any, known) -> {
                    Set<String> names = known == null ? ConcurrentHashMap.newKeySet() : known;
                    names.add(pod.name());
                    return names;
                })
                .size();
    }

    private void unassign(String group, Pod pod) {
        assignedByGroup.computeIfPresent(group, (any, known) -> {
            known.remove(pod.name());
            return known.isEmpty() ? null : known;
        });
    }

    /** Returns the namespace and name of a pod's group, whether or not it exists; empty for a pod of none. */
    private static Optional<String> nameOf(Pod pod) {
        String name = pod.labels().getOrDefault(LABEL, "");
        return name.isEmpty() ? Optional.empty() : Optional.of(pod.namespace() + "/" + name);
    }

    private Optional<Group> groupOf(Pod pod) {
        String name = pod.labels().getOrDefault(LABEL, "");
        return name.isEmpty() ? Optional.empty() : groups.get(pod.namespace(), name);
    }

    private Members members(String group) {
        return membersByGroup.getOrDefault(group, Members.NONE);
    }

    private int assigned(String group) {
        return assignedByGroup.getOrDefault(group, Set.of()).size();
    }

    private List<WaitingPod> waitingMembers(Pod member) {
        String name = member.labels().getOrDefault(LABEL, "");
        List<WaitingPod> waiting = new ArrayList<>();
        for (WaitingPod pod : handle.binding().waitingPods()) {
            if (name.equals(pod.pod().labels().get(LABEL))
                    && pod.pod().namespace().equals(member.namespace())) {
                waiting.add(pod);
            }
        }
        return waiting;
    }

    private boolean isBefore(Map<String, Instant> ends, String group) {
        Instant end = ends.get(group);
        return end != null && handle.monotonicClock().instant().isBefore(end);
    }

    // An end that is still to come stays.
    private void startUnlessRunning(Map<String, Instant> ends, String group, Duration time) {
        if (!isBefore(ends, group)) {
            ends.put(group, handle.monotonicClock().instant().plus(time));
        }
    }

    private void failed(String group) {
        permittedUntil.remove(group);
        lastFailedAt.put(group, handle.clock().instant());
    }

    @Override
    public boolean less(QueuedPod first, QueuedPod second) {
        if (first.priority() != second.priority()) {
            return first.priority() > second.priority();
        }
        Instant firstTime = groupTime(first);
        Instant secondTime = groupTime(second);
        return firstTime.equals(secondTime)
                ? first.pod().key().compareTo(second.pod().key()) < 0
                : firstTime.isBefore(secondTime);
    }

    // The last failure sends a group behind the others.
    private Instant groupTime(QueuedPod queued) {
        Optional<String> name = nameOf(queued.pod());
        Instant failed = name.map(lastFailedAt::get).orElse(null);
        return failed != null
                ? failed
                : groupOf(queued.pod())
                        .flatMap(Group::created)
                        .or(queued::initialAttemptTimestamp)
                        .orElseGet(queued::timestamp);
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        String name = nameOf(pod).orElse("");
        Group group = groupOf(pod).orElse(null);
        if (group == null) {
            return PreFilterResult.allNodes();
        }
        if (isBefore(backedOffUntil, name)) {
            return rejected("podGroup " + name + " failed recently");
        }
        Members members = members(name);
        int known = members.pods.size();
        if (known < group.minMember()) {
            return rejected("pre-filter pod " + pod.name() + " cannot find enough sibling pods, current pods number: "
                    + known + ", minMember of group: " + group.minMember());
        }
        if (members.gated.get() > known - group.minMember()) {
            return rejected("pre-filter pod " + pod.name() + " cannot proceed due to gated pods in the same PodGroup");
        }
        if (group.minResources().isEmpty() || isBefore(permittedUntil, name)) {
            return PreFilterResult.allNodes();
        }
        Map<String, Quantity> gap = resourceGap(group, name, snapshot);
        if (!gap.isEmpty()) {
            return rejected("resource gap: " + shown(gap));
        }
        Duration permitted = Duration.ofSeconds(args.permitWaitingTimeSeconds());
        startUnlessRunning(permittedUntil, name, permitted.isZero() ? LEAST_PERMITTED : permitted);
        return PreFilterResult.allNodes();
    }

    @Override
    public List<Remedy> remedies(Pod pod) {
        String name = nameOf(pod).orElse("");
        Group group = groupOf(pod).orElse(null);
        int known = members(name).pods.size();
        if (group == null || known >= group.minMember()) {
            return List.of();
        }
        List<Remedy> remedies = new ArrayList<>();
        long missing = group.minMember() - known;
        if (missing <= MOST_ADDED) {
            List<ClusterObject> added = new ArrayList<>();
            for (int i = 0; i < missing; i++) {
                added.add(pod.withMetadata(pod.metadata().toBuilder(pod.name() + "-" + i)
                        .uid(pod.uid() + "/" + i)
                        .build()));
            }
            remedies.add(Remedy.of(
                    "create " + missing + (missing == 1 ? " more pod" : " more pods") + " of PodGroup " + name, added));
        }
        Optional<OtherObject> object =
                groups.object(pod.namespace(), pod.labels().getOrDefault(LABEL, ""));
        if (known > 0 && object.isPresent()) {
            String resources = group.minResources()
                    .map(amounts -> ",\"minResources\":" + Json.quantities(amounts))
                    .orElse("");
            remedies.add(Remedy.of(
                    "lower spec.minMember of PodGroup " + name + " to " + known,
                    List.of(new OtherObject(
                            POD_GROUP,
                            object.get().metadata(),
                            "{\"spec\":{\"minMember\":" + known + resources + "}}"))));
        }
        return remedies;
    }

    private static PreFilterResult rejected(String reason) {
        return PreFilterResult.rejected(Status.unresolvable(reason));
    }

    private static String shown(Map<String, Quantity> gap) {
        List<String> amounts = new ArrayList<>();
        gap.forEach((resource, amount) -> amounts.add(resource + ":" + amount));
        return "map[" + String.join(" ", amounts) + "]";
    }

    // A resource that is found is done: neither is a surplus carried over, nor can a later node take it back.
    private static Map<String, Quantity> resourceGap(Group group, String name, Snapshot snapshot) {
        Map<String, Quantity> gap = new TreeMap<>(group.minResources().orElse(Map.of()));
        gap.put(PODS, Quantity.of(group.minMember()));
        for (NodeInfo node : snapshot.nodes()) {
            List<Resources> ofGroup = new ArrayList<>();
            for (Pod pod : node.pods()) {
                if (nameOf(pod).filter(name::equals).isPresent()) {
                    ofGroup.add(pod.requestsOf(node.node()));
                }
            }
            gap.replaceAll((resource, wanted) -> wanted.minus(left(node, resource, ofGroup)));
            gap.values().removeIf(wanted -> wanted.compareTo(Quantity.ZERO) <= 0);
            if (gap.isEmpty()) {
                break;
            }
        }
        return gap;
    }

    private static Quantity left(NodeInfo node, String resource, List<Resources> ofGroup) {
        if (resource.equals(PODS)) {
            return Quantity.of(node.allowedPods() - node.podCount() + ofGroup.size());
        }
        ResourceName name = ResourceName.of(resource);
        if (name.slot() < 0 && !node.node().allocatable().containsKey(resource)) {
            // Pods may request what the node no longer has.
            return Quantity.ZERO;
        }
        long left = node.allocatable(name) - node.requested(name);
        for (Resources requests : ofGroup) {
            left += requests.amount(name);
        }
        return name.equals(ResourceName.CPU) ? Quantity.ofMilli(left) : Quantity.of(left);
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        if (groupOf(pod).isEmpty()) {
            return NO_GROUP;
        }
        return rejectsGroup(pod)
                ? PostFilterResult.rejected(
                        Status.unschedulable("PodGroup " + nameOf(pod).orElse("") + " gets rejected due to Pod "
                                + pod.name() + " is unschedulable even after PostFilter"))
                : KEEPS_WAITING;
    }

    private boolean rejectsGroup(Pod pod) {
        String name = nameOf(pod).orElse("");
        long minMember = groupOf(pod).map(Group::minMember).orElse(0L);
        long missing = minMember - assigned(name);
        return missing > 0 && (double) missing / minMember > args.podGroupRejectPercentage() / 100.0;
    }

    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        if (rejectsGroup(pod)) {
            String name = nameOf(pod).orElse("");
            waitingMembers(pod).forEach(member -> member.reject(NAME, "optimistic rejection in PostFilter"));
            long minMember = groupOf(pod).map(Group::minMember).orElse(0L);
            if (args.podGroupBackoffSeconds() > 0 && members(name).pods.size() >= minMember) {
                startUnlessRunning(backedOffUntil, name, Duration.ofSeconds(args.podGroupBackoffSeconds()));
            }
            failed(name);
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        nameOf(pod).ifPresent(name -> {
            unassign(name, pod);
            if (groupOf(pod).isPresent()) {
                waitingMembers(pod).forEach(member -> member.reject(NAME, "rejection in Unreserve"));
                failed(name);
            }
        });
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        Optional<String> name = nameOf(pod);
        if (name.isEmpty()) {
            return PermitResult.allow();
        }
        Optional<Group> group = groupOf(pod);
        if (group.isEmpty()) {
            return PermitResult.rejected(GROUP_NOT_FOUND);
        }
        int assigned = assign(name.get(), pod);
        if (assigned >= group.get().minMember()) {
            lastFailedAt.remove(name.get());
            waitingMembers(pod).forEach(member -> member.allow(NAME));
            return PermitResult.allow();
        }
        if (assigned == 1) {
            handle.queue().activate(others(name.get(), pod));
        }
        return PermitResult.waitAtMost(wait(group.get()));
    }

    private List<Pod> others(String group, Pod pod) {
        List<Pod> others = new ArrayList<>();
        for (Pod member : members(group).pods.values()) {
            if (!member.uid().equals(pod.uid())) {
                others.add(member);
            }
        }
        return others;
    }

    private Duration wait(Group group) {
        Duration byArgs = Duration.ofSeconds(args.permitWaitingTimeSeconds());
        long seconds = group.scheduleTimeoutSeconds().orElse(0);
        if (seconds != 0) {
            return Duration.ofSeconds(Math.max(0, seconds));
        }
        return byArgs.isZero() && group.scheduleTimeoutSeconds().isEmpty() ? DEFAULT_WAIT : byArgs;
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ClusterEvent.of(EventResource.POD, ActionType.ADD)),
                EventRegistration.always(POD_GROUP, ActionType.ADD_OR_UPDATE));
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of(NAME + "Args");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new Coscheduling(args, handle);
        }
    }
}
