// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.ProfileComparison;
import org.moorage.runtime.whatif.Questions;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;

/**
 * Questions about a frozen cluster. Each has its own transaction, which begins with the changes from which this cluster
 * was derived.
 */
public final class FrozenWhatIf implements WhatIf {
    private final FrozenCluster cluster;
    // The cluster that this one was derived from; null for the unchanged cluster.
    private final @Nullable FrozenWhatIf origin;
    private final Change change;
    private final Ties ties;

    /** A kind of change. */
    private enum Action {
        WITH((transaction, change) -> transaction.with(change.items(ClusterObject.class))),
        WITHOUT((transaction, change) -> transaction.without(change.items(String.class))),
        EVICT((transaction, change) -> transaction.evict(change.items(Pod.class))),
        AMONG((transaction, change) -> transaction.among(change.items(String.class)));

        @SuppressWarnings("ImmutableEnumChecker") // a function without state
        private final BiFunction<Transaction, Change, Transaction> application;

        Action(BiFunction<Transaction, Change, Transaction> application) {
            this.application = application;
        }
    }

    private record ObjectId(ObjectKind<?> kind, String key) {}

    /**
     * A change.
     *
     * @param items the items that are added or selected, by their identity
     */
    private record Change(Action action, Map<Object, Object> items) {
        static Change none() {
            return new Change(Action.WITH, Map.of());
        }

        static <T> Change of(Action action, Collection<T> items, Function<T, Object> identity) {
            Map<Object, Object> byIdentity = new LinkedHashMap<>();
            items.forEach(item -> byIdentity.put(identity.apply(item), item));
            return new Change(action, byIdentity);
        }

        // A later object replaces an earlier one. But removing or evicting an item twice must stay two changes, so that
        // it is rejected.
        boolean canTake(Change next) {
            return action == next.action
                    && (action == Action.WITH
                            || action != Action.AMONG && Collections.disjoint(items.keySet(), next.items.keySet()));
        }

        void applyTo(Transaction transaction) {
            Transaction ignored = action.application.apply(transaction, this);
        }

        <T> List<T> items(Class<T> type) {
            return items.values().stream().map(type::cast).toList();
        }
    }

    public FrozenWhatIf(FrozenCluster cluster) {
        this(cluster, null, Change.none(), Ties.FIRST);
    }

    private FrozenWhatIf(FrozenCluster cluster, @Nullable FrozenWhatIf origin, Change change, Ties ties) {
        this.cluster = cluster;
        this.origin = origin;
        this.change = change;
        this.ties = ties;
    }

    @Override
    public Transaction begin() {
        SnapshotTransaction transaction = SnapshotTransaction.begin(cluster.acquire(), ties);
        boolean isBegun = false;
        try {
            changes().forEach(change -> change.applyTo(transaction));
            isBegun = true;
        } finally {
            if (!isBegun) {
                transaction.close();
            }
        }
        return transaction;
    }

    // Returns the changes in order. Consecutive changes of one kind are merged, because each copies all nodes or all
    // claims.
    private List<Change> changes() {
        Deque<Change> chain = new ArrayDeque<>();
        FrozenWhatIf next = this;
        for (FrozenWhatIf before = next.origin; before != null; before = next.origin) {
            chain.addFirst(next.change);
            next = before;
        }
        List<Change> joined = new ArrayList<>();
        Change last = Change.none();
        for (Change each : chain) {
            if (joined.isEmpty() || !last.canTake(each)) {
                last = new Change(each.action, new LinkedHashMap<>());
                joined.add(last);
            }
            last.items.putAll(each.items);
        }
        return joined;
    }

    private <T> T ask(Function<Questions, T> question) {
        try (Transaction transaction = begin()) {
            return question.apply(transaction);
        }
    }

    private WhatIf changed(Change next) {
        return new FrozenWhatIf(cluster, this, next, ties);
    }

    @Override
    public WhatIf with(Collection<? extends ClusterObject> objects) {
        List<ClusterObject> added = Given.objects(objects);
        return changed(Change.of(Action.WITH, added, object -> new ObjectId(ObjectKind.of(object), object.key())));
    }

    @Override
    public WhatIf without(Collection<String> nodeNames) {
        return changed(Change.of(Action.WITHOUT, Given.names(nodeNames), name -> name));
    }

    @Override
    public WhatIf evict(Collection<Pod> pods) {
        return changed(Change.of(Action.EVICT, Given.selected(pods), Pod::uid));
    }

    @Override
    public WhatIf among(Collection<String> nodeNames) {
        return changed(Change.of(Action.AMONG, Given.names(nodeNames), name -> name));
    }

    @Override
    public WhatIf breakingTiesAtRandom(long seed) {
        return new FrozenWhatIf(cluster, this, Change.none(), Ties.random(seed));
    }

    @Override
    public List<String> nodeNames() {
        return ask(Questions::nodeNames);
    }

    @Override
    public List<Pod> podsOn(String nodeName) {
        return ask(cluster -> cluster.podsOn(nodeName));
    }

    @Override
    public List<Pod> nominatedPods(String nodeName) {
        return ask(cluster -> cluster.nominatedPods(nodeName));
    }

    @Override
    public Fit fits(Pod pod) {
        return ask(cluster -> cluster.fits(pod));
    }

    @Override
    public Evaluation evaluate(Pod pod) {
        return ask(cluster -> cluster.evaluate(pod));
    }

    @Override
    public PlacedPods place(List<Pod> pods) {
        return ask(cluster -> cluster.place(pods));
    }

    @Override
    public PlacedPods placeTogether(List<Pod> pods) {
        return ask(cluster -> cluster.placeTogether(pods));
    }

    @Override
    public PlacedPods place(PodGroup group, List<Pod> pods) {
        return ask(cluster -> cluster.place(group, pods));
    }

    @Override
    public HowMany howMany(Pod template, int atMost) {
        return ask(cluster -> cluster.howMany(template, atMost));
    }

    @Override
    public PreemptionResult preempt(Pod pod) {
        return ask(cluster -> cluster.preempt(pod));
    }

    @Override
    public ProfileComparison compare(String profile, List<Pod> pods) {
        return ask(cluster -> cluster.compare(profile, pods));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
