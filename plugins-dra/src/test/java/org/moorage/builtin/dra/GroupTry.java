// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** Tries pods of a group with DynamicResources, takes that back and binds them, as the cycle of a group does. */
final class GroupTry {
    private static final PodGroupTrial NO_TRIAL =
            proxy(PodGroupTrial.class, (method, arguments) -> Optional.empty(), new Object());

    private final TestScheduler scheduler;
    private final DynamicResources plugin;
    private final Snapshot snapshot;
    private final SchedulingGroup group;
    private CycleState groupState = new CycleState();
    private CycleState placement = new CycleState(groupState);

    /**
     * A pod that was tried.
     *
     * @param nodeName the node that it has; empty if it was rejected
     * @param statuses what PreFilter said, by an empty name, or Filter, by the name of the node
     */
    record Member(Pod pod, CycleState state, String nodeName, Map<String, Status> statuses) {
        boolean isReserved() {
            return !nodeName.isEmpty();
        }
    }

    private interface Call {
        Optional<Object> answer(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Call call, Object target) {
        return type.cast(Proxy.newProxyInstance(
                GroupTry.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Optional<Object> answer = call.answer(method.getName(), arguments);
                    if (answer.isPresent()) {
                        return answer.get();
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                }));
    }

    /** The groups of a cluster with one group. */
    private record OneGroup(SchedulingGroup group, List<Pod> scheduled) implements PodGroupLister {
        @Override
        public Optional<PodGroupState> podGroup(String namespace, String name) {
            return group instanceof PodGroup podGroup && podGroup.name().equals(name)
                    ? Optional.of(new State(podGroup, scheduled))
                    : Optional.empty();
        }

        @Override
        public Optional<CompositePodGroupState> compositePodGroup(String namespace, String name) {
            return Optional.empty();
        }
    }

    private record State(PodGroup known, List<Pod> assignedPods) implements PodGroupState {
        @Override
        public Optional<PodGroup> podGroup() {
            return Optional.of(known);
        }

        @Override
        public List<Pod> unscheduledPods() {
            return List.of();
        }

        @Override
        public List<Pod> assumedPods() {
            return List.of();
        }
    }

    /** Makes the plugin with a handle that knows the groups. */
    private record Factory(PodGroupLister groups) implements PluginFactory<DynamicResources.Args> {
        @Override
        public String name() {
            return DynamicResources.NAME;
        }

        @Override
        public Class<DynamicResources.Args> argsType() {
            return DynamicResources.Args.class;
        }

        @Override
        public Plugin create(DynamicResources.Args args, Handle handle) {
            Handle.Cluster cluster = proxy(
                    Handle.Cluster.class,
                    (method, arguments) -> method.equals("podGroups") ? Optional.of(groups) : Optional.empty(),
                    handle.cluster());
            return DynamicResources.factory()
                    .create(
                            args,
                            proxy(
                                    Handle.class,
                                    (method, arguments) ->
                                            method.equals("cluster") ? Optional.of(cluster) : Optional.empty(),
                                    handle));
        }
    }

    private record Info(SchedulingGroup group, List<Pod> unscheduledPods) implements PodGroupInfo {
        @Override
        public GroupKey key() {
            return GroupKey.podGroup(group.namespace(), group.name());
        }

        @Override
        public List<PodGroupInfo> children() {
            return List.of();
        }
    }

    private GroupTry(TestScheduler scheduler, Snapshot snapshot, SchedulingGroup group, PodGroupLister groups) {
        this.scheduler = scheduler;
        plugin = scheduler.plugin(DynamicResources.class);
        this.snapshot = proxy(
                Snapshot.class,
                (method, arguments) -> method.equals("podGroups") ? Optional.of(groups) : Optional.empty(),
                snapshot);
        this.group = group;
    }

    /**
     * Runs a test with a group.
     *
     * @param scheduled the pods of the group that have a node
     * @param cluster the other objects
     */
    static void with(
            FeatureGates features,
            SchedulingGroup group,
            List<Pod> scheduled,
            List<? extends ClusterObject> cluster,
            Consumer<GroupTry> test) {
        PodGroupLister groups = new OneGroup(group, scheduled);
        try (TestScheduler scheduler = PluginTester.of(new Factory(groups), DynamicResources.Args.DEFAULTS)
                .features(features)
                .cluster(cluster)
                .start()) {
            scheduler.inCycle(
                    Pods.named("other").build(),
                    (state, snapshot) -> test.accept(new GroupTry(scheduler, snapshot, group, groups)));
        }
    }

    /** Begins another cycle of the group. */
    void anew() {
        groupState = new CycleState();
        placement = new CycleState(groupState);
    }

    /** Tries a pod with the group on these nodes, or if there are none on all, and reserves the first one that fits. */
    Member member(Pod pod, String... nodeNames) {
        return tried(pod, new CycleState(placement), List.of(nodeNames));
    }

    /** Tries a pod that is scheduled alone. */
    Member alone(Pod pod) {
        return tried(pod, new CycleState(), List.of());
    }

    private Member tried(Pod pod, CycleState state, List<String> nodeNames) {
        Map<String, Status> statuses = new TreeMap<>();
        PreFilterResult preFilter = plugin.preFilter(state, pod, snapshot);
        statuses.put("", preFilter.status());
        if (!preFilter.status().isSuccess() && !preFilter.status().isSkip()) {
            return new Member(pod, state, "", statuses);
        }
        String chosen = "";
        for (NodeInfo node : snapshot.nodes()) {
            if (nodeNames.isEmpty() || nodeNames.contains(node.name())) {
                Status status = preFilter.status().isSkip() ? Status.success() : plugin.filter(state, pod, node);
                statuses.put(node.name(), status);
                chosen = chosen.isEmpty() && status.isSuccess() ? node.name() : chosen;
            }
        }
        if (!chosen.isEmpty()) {
            plugin.reserve(state, pod, chosen);
        }
        return new Member(pod, state, chosen, statuses);
    }

    /** Runs Unreserve. */
    void giveBack(Member member) {
        plugin.unreserve(member.state, member.pod, member.nodeName.isEmpty() ? "n1" : member.nodeName);
    }

    /** Reserves the node that was found for a pod, which is to be bound now. */
    Member commit(Member member) {
        Member committed = new Member(member.pod, member.state.withoutParent(), member.nodeName, member.statuses);
        plugin.reserve(committed.state, committed.pod, committed.nodeName);
        return committed;
    }

    /** Runs PreBind. */
    void bind(Member member) {
        plugin.preBind(member.state, member.pod, member.nodeName);
    }

    /** Runs PodGroupPostFilter for these pods, and does what it decides. */
    Status postFilter(Pod... unscheduled) {
        PodGroupInfo info = new Info(group, List.of(unscheduled));
        PodGroupPostFilterResult result = plugin.podGroupPostFilter(groupState, info, NO_TRIAL);
        plugin.execute(groupState, info, result);
        return result.status();
    }

    ClaimTracker tracker() {
        return scheduler.handle().shared(ClaimTracker.KEY, () -> {
            throw new IllegalStateException("not made");
        });
    }

    TestScheduler scheduler() {
        return scheduler;
    }

    ResourceClaim claim(String name) {
        return scheduler
                .cluster()
                .find(ObjectKind.RESOURCE_CLAIM, "default", name)
                .orElseThrow();
    }
}
