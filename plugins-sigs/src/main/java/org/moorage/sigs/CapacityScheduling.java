// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
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
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.RemedyPlugin;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.preemption.Preemption;
import org.moorage.api.preemption.PreemptionRules;
import org.moorage.api.preemption.Victim;

/**
 * Shares the cluster between namespaces by elastic quotas: each namespace is guaranteed its minimum, and may use what
 * others leave of theirs, up to its maximum. A namespace that needs its minimum back preempts the pods of those that
 * use more than theirs. A quota is an ElasticQuota of {@code scheduling.x-k8s.io/v1alpha1}.
 *
 * <p>Same decisions as scheduler-plugins' CapacityScheduling, even where one may not expect them: a minimum or maximum
 * that is given counts 0 for cpu, memory and ephemeral storage that it does not name; a quota that is created later
 * does not count the pods that its namespace has by then, until the scheduler is restarted; and a node on which a victim
 * lacks both room and quota to stay is not preempted on.
 */
public final class CapacityScheduling
        implements PreFilterPlugin,
                PreFilterExtensions,
                PostFilterPlugin,
                ReservePlugin,
                EnqueueExtensions,
                RemedyPlugin {
    /** The plugin's name. */
    public static final String NAME = "CapacityScheduling";

    static final ObjectKind<OtherObject> ELASTIC_QUOTA =
            ObjectKind.other("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", "elasticquotas", true);
    private static final Status OVER_QUOTA = Status.unschedulable("global quota max exceeded");
    private static final Set<String> ALIVE = Set.of("Running", "Pending");
    private static final StateKey<Request> REQUEST = StateKey.of("CapacityScheduling/request");
    private static final StateKey<Quotas> QUOTAS = StateKey.of("CapacityScheduling/quotas");

    private final Handle handle;
    private final TypedResources<Limits> limits;
    private final Preemption preemption;
    private final ObjectLister<Pod> pods;
    private final Object lock = new Object();
    private Quotas quotas = new Quotas(Map.of()); // guarded by lock
    private final Map<String, Set<String>> podsByNamespace = new HashMap<>(); // guarded by lock

    /**
     * The limits of a quota.
     *
     * @param min what is guaranteed to the namespace
     * @param max what the namespace may use at most
     */
    private record Limits(Amounts min, Amounts max) {
        static Limits of(OtherObject quota) {
            ObjectFields spec = quota.fields().object("spec");
            return new Limits(amounts(spec, "min", Amounts.NONE), amounts(spec, "max", Amounts.UNLIMITED));
        }

        private static Amounts amounts(ObjectFields spec, String field, Amounts otherwise) {
            return spec.names().contains(field) ? Amounts.of(Resources.of(spec.quantityMap(field))) : otherwise;
        }
    }

    /** The quota of a namespace and what the namespace uses. */
    private record Quota(Limits limits, Amounts used) {
        /** Returns whether the namespace uses more than its minimum. */
        boolean isOverMin() {
            return used.exceeds(limits.min(), 0);
        }

        boolean isOverMinWith(Amounts request) {
            return with(request).exceeds(limits.min(), 0);
        }

        boolean isOverMaxWith(Amounts request) {
            return with(request).exceeds(limits.max(), Long.MAX_VALUE);
        }

        // Compares only those scalars that the request has.
        private Amounts with(Amounts request) {
            Amounts sum = used.plus(request);
            Map<String, Long> scalars = new TreeMap<>(sum.scalars());
            scalars.keySet().retainAll(request.scalars().keySet());
            return new Amounts(sum.milliCpu(), sum.memory(), sum.ephemeralStorage(), scalars);
        }
    }

    /** All quotas, by namespace. */
    private record Quotas(Map<String, Quota> byNamespace) {
        @Nullable
        Quota of(Pod pod) {
            return byNamespace.get(pod.namespace());
        }

        Quotas with(String namespace, Quota quota) {
            Map<String, Quota> changed = new HashMap<>(byNamespace);
            changed.put(namespace, quota);
            return new Quotas(changed);
        }

        Quotas without(String namespace) {
            Map<String, Quota> changed = new HashMap<>(byNamespace);
            changed.remove(namespace);
            return new Quotas(changed);
        }

        /** Returns whether all namespaces together would use more than is guaranteed to all. */
        boolean areOverMin(Amounts more) {
            return usedWith(more).exceeds(guaranteed(), 0);
        }

        /** Returns by how much all namespaces together would use more than is guaranteed to all. */
        Amounts overMin(Amounts more) {
            return usedWith(more).beyond(guaranteed(), 0);
        }

        private Amounts usedWith(Amounts more) {
            Amounts used = more;
            for (Quota quota : byNamespace.values()) {
                used = used.plus(quota.used());
            }
            return used;
        }

        private Amounts guaranteed() {
            Amounts guaranteed = Amounts.NONE;
            for (Quota quota : byNamespace.values()) {
                guaranteed = guaranteed.plus(quota.limits().min());
            }
            return guaranteed;
        }
    }

    /**
     * The request of a pod, together with the nominated pods that precede it.
     *
     * @param own the pod's requests
     * @param inNamespace with those of the nominated pods of its namespace
     * @param inCluster with those of the nominated pods of all namespaces that count
     * @param isOverMin whether the namespace would use more than its minimum
     */
    private record Request(Amounts own, Amounts inNamespace, Amounts inCluster, boolean isOverMin) {}

    private CapacityScheduling(Handle handle) {
        this.handle = handle;
        limits = new TypedResources<>(handle, ELASTIC_QUOTA, Limits::of);
        preemption = new Preemption(handle, NAME, new Rules());
        pods = handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ELASTIC_QUOTA, this::quotaChanged);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    @Override
    public String name() {
        return NAME;
    }

    private void quotaChanged(ObjectChange<OtherObject> change) {
        String namespace = change.latest().namespace();
        Optional<Limits> current = change.after().flatMap(limits::of);
        synchronized (lock) {
            if (current.isEmpty()) {
                quotas = quotas.without(namespace);
                podsByNamespace.remove(namespace);
                return;
            }
            Quota known = quotas.byNamespace().get(namespace);
            quotas = quotas.with(namespace, new Quota(current.get(), known == null ? Amounts.NONE : known.used()));
            // Upstream does not count the pods that exist when a quota is created later.
            if (known == null && change.isInitial()) {
                for (Pod pod : pods.in(namespace)) {
                    if (pod.isBound()) {
                        add(pod);
                    }
                }
            }
        }
    }

    private void podChanged(ObjectChange<Pod> change) {
        Optional<Pod> before = change.before().filter(Pod::isBound);
        Optional<Pod> after = change.after().filter(Pod::isBound);
        if (before.isEmpty()) {
            after.ifPresent(this::add);
        } else if (after.isEmpty()) {
            remove(before.get());
        } else if (ALIVE.contains(before.get().status().phase())
                && !ALIVE.contains(after.get().status().phase())) {
            // Less what the pod requests by now, even if it was counted with other requests.
            remove(after.get());
        }
    }

    private void add(Pod pod) {
        synchronized (lock) {
            Quota quota = quotas.of(pod);
            if (quota != null && countedWith(pod).add(pod.uid())) {
                quotas = quotas.with(pod.namespace(), added(quota, pod));
            }
        }
    }

    private void remove(Pod pod) {
        synchronized (lock) {
            Quota quota = quotas.of(pod);
            if (quota != null && countedWith(pod).remove(pod.uid())) {
                quotas = quotas.with(pod.namespace(), removed(quota, pod));
            }
        }
    }

    private Set<String> countedWith(Pod pod) {
        return podsByNamespace.computeIfAbsent(pod.namespace(), any -> new HashSet<>());
    }

    private static Quota added(Quota quota, Pod pod) {
        return new Quota(quota.limits(), quota.used().plus(Amounts.requestedBy(pod)));
    }

    private static Quota removed(Quota quota, Pod pod) {
        return new Quota(quota.limits(), quota.used().minus(Amounts.requestedBy(pod)));
    }

    private Quotas current() {
        synchronized (lock) {
            return quotas;
        }
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        Quotas all = current();
        state.put(QUOTAS, all);
        Quota quota = all.of(pod);
        if (quota == null) {
            return PreFilterResult.allNodes();
        }
        Request request = request(all, quota, pod, snapshot);
        state.put(REQUEST, request);
        if (quota.isOverMaxWith(request.inNamespace())) {
            return rejected(pod, "ElasticQuota " + pod.namespace() + " is more than Max");
        }
        return all.areOverMin(request.inCluster())
                ? rejected(pod, "total ElasticQuota used is more than min")
                : PreFilterResult.allNodes();
    }

    private static PreFilterResult rejected(Pod pod, String why) {
        return PreFilterResult.rejected(
                Status.unschedulable("Pod " + pod.key() + " is rejected in PreFilter because " + why));
    }

    @Override
    public List<Remedy> remedies(Pod pod) {
        Quotas all = current();
        Quota quota = all.of(pod);
        Optional<OtherObject> object = limits.objects().stream()
                .filter(known -> known.namespace().equals(pod.namespace()))
                .findFirst();
        if (quota == null || object.isEmpty()) {
            return List.of();
        }
        Amounts request = Amounts.requestedBy(pod);
        Amounts overMax = quota.with(request).beyond(quota.limits().max(), Long.MAX_VALUE);
        Amounts overMin = all.overMin(request);
        if (overMax.isNone() && overMin.isNone()) {
            return List.of();
        }
        String name = " of ElasticQuota " + object.get().key();
        List<String> raised = new ArrayList<>();
        if (!overMax.isNone()) {
            raised.add("spec.max" + name + " by " + overMax.inWords());
        }
        if (!overMin.isNone()) {
            raised.add("spec.min" + (raised.isEmpty() ? name : "") + " by " + overMin.inWords());
        }
        ObjectFields spec = object.get().fields().object("spec");
        List<String> fields = new ArrayList<>();
        for (String limit : List.of("min", "max")) {
            if (spec.names().contains(limit)) {
                Map<String, Quantity> amounts = new TreeMap<>(spec.quantityMap(limit));
                (limit.equals("min") ? overMin : overMax)
                        .quantities()
                        .forEach((resource, more) -> amounts.merge(resource, more, Quantity::plus));
                fields.add(Json.text(limit) + ":" + Json.quantities(amounts));
            }
        }
        return List.of(Remedy.of(
                "raise " + String.join(" and ", raised),
                List.of(new OtherObject(
                        ELASTIC_QUOTA, object.get().metadata(), "{\"spec\":{" + String.join(",", fields) + "}}"))));
    }

    private Request request(Quotas all, Quota quota, Pod pod, Snapshot snapshot) {
        Amounts own = Amounts.requestedBy(pod);
        Amounts inNamespace = own;
        Amounts inCluster = own;
        for (Map.Entry<String, List<Pod>> node :
                handle.preemption().nominatedPods().entrySet()) {
            if (snapshot.node(node.getKey()).isEmpty()) {
                continue;
            }
            for (Pod nominated : node.getValue()) {
                Quota other = all.of(nominated);
                if (other == null || nominated.uid().equals(pod.uid())) {
                    continue;
                }
                boolean isSame = nominated.namespace().equals(pod.namespace());
                if (isSame && nominated.spec().priority() >= pod.spec().priority()) {
                    inNamespace = inNamespace.plus(Amounts.requestedBy(nominated));
                    inCluster = inCluster.plus(Amounts.requestedBy(nominated));
                } else if (!isSame && !other.isOverMin()) {
                    inCluster = inCluster.plus(Amounts.requestedBy(nominated));
                }
            }
        }
        return new Request(own, inNamespace, inCluster, quota.isOverMinWith(inNamespace));
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        Quotas all = state.get(QUOTAS);
        Quota quota = all.of(added);
        if (quota != null) {
            state.put(QUOTAS, all.with(added.namespace(), added(quota, added)));
        }
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        Quotas all = state.get(QUOTAS);
        Quota quota = all.of(removed);
        if (quota != null) {
            state.put(QUOTAS, all.with(removed.namespace(), removed(quota, removed)));
        }
    }

    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        return preemption.makeRoom(state, pod, statuses);
    }

    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        return preemption.evict(pod, result);
    }

    /** Evicts pods of the own namespace by priority, and pods of other namespaces while these use more than theirs. */
    private static final class Rules implements PreemptionRules {
        @Override
        public boolean waitsFor(CycleState state, Pod preemptor, Pod terminating, int priority) {
            return mayEvict(state, preemptor, terminating, priority);
        }

        @Override
        public long priorityLimit(Pod preemptor) {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean startsWithLeastImportant() {
            return true;
        }

        @Override
        public boolean mayEvict(CycleState state, Pod preemptor, Victim victim) {
            for (Pod pod : victim.pods()) {
                if (!mayEvict(state, preemptor, pod, victim.priority())) {
                    return false;
                }
            }
            return true;
        }

        private static boolean mayEvict(CycleState state, Pod preemptor, Pod victim, int priority) {
            Quotas all = state.get(QUOTAS);
            Quota quota = all.of(victim);
            boolean isLower = priority < preemptor.spec().priority();
            if (all.of(preemptor) == null) {
                return quota == null && isLower;
            }
            if (quota == null) {
                return false;
            }
            boolean isSame = victim.namespace().equals(preemptor.namespace());
            return state.get(REQUEST).isOverMin() ? isSame && isLower : !isSame && quota.isOverMin();
        }

        @Override
        public Status noVictims(Pod preemptor, NodeInfo node) {
            return Status.unresolvable(
                    "No victims found on node " + node.name() + " for preemptor pod " + preemptor.name());
        }

        @Override
        public Status withoutVictims(CycleState state, Pod preemptor) {
            Quotas all = state.get(QUOTAS);
            Quota quota = all.of(preemptor);
            return quota != null
                            && isOver(
                                    all,
                                    quota,
                                    state.get(REQUEST).own(),
                                    state.get(REQUEST).own())
                    ? OVER_QUOTA
                    : Status.success();
        }

        @Override
        public boolean mayStay(CycleState state, Pod preemptor, Victim victim) {
            Quotas all = state.get(QUOTAS);
            Quota quota = all.of(preemptor);
            return quota == null
                    || !isOver(
                            all,
                            quota,
                            state.get(REQUEST).inNamespace(),
                            state.get(REQUEST).inCluster());
        }

        // Upstream removes such a victim a second time, which fails.
        @Override
        public void leaves(CycleState state, Pod preemptor, Victim victim) {
            if (!mayStay(state, preemptor, victim)) {
                Pod pod = victim.pods().get(0);
                throw new PluginException("no corresponding pod " + pod.name() + " in pods of node " + pod.nodeName());
            }
        }

        private static boolean isOver(Quotas all, Quota quota, Amounts inNamespace, Amounts inCluster) {
            return quota.isOverMaxWith(inNamespace) || all.areOverMin(inCluster);
        }
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        add(pod);
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        remove(pod);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ClusterEvent.of(EventResource.POD, ActionType.DELETE)),
                EventRegistration.always(ELASTIC_QUOTA, ActionType.ALL));
    }

    /** Returns what each namespace with a quota uses. */
    @Override
    public String toString() {
        Map<String, String> used = new TreeMap<>();
        current()
                .byNamespace()
                .forEach((namespace, quota) ->
                        used.put("used/" + namespace, quota.used().toString()));
        return used.toString();
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
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
        public boolean ignoresArgs() {
            return true;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new CapacityScheduling(handle);
        }
    }
}
