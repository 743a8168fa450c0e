// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.moorage.api.model.ClusterObject;
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
 * Questions about a frozen cluster, each in a transaction of its own, which begins with some changes.
 *
 * @param cluster the cluster
 * @param changes what is changed first, in order
 */
public record FrozenWhatIf(FrozenCluster cluster, List<Consumer<Transaction>> changes) implements WhatIf {
    /** Does not change. */
    public FrozenWhatIf {
        changes = List.copyOf(changes);
    }

    @Override
    public Transaction begin() {
        SnapshotTransaction transaction = SnapshotTransaction.begin(cluster.take());
        boolean isBegun = false;
        try {
            changes.forEach(change -> change.accept(transaction));
            isBegun = true;
        } finally {
            if (!isBegun) {
                transaction.close();
            }
        }
        return transaction;
    }

    private <T> T ask(Function<Questions, T> question) {
        try (Transaction transaction = begin()) {
            return question.apply(transaction);
        }
    }

    private WhatIf changed(Consumer<Transaction> change) {
        List<Consumer<Transaction>> all = new ArrayList<>(changes);
        all.add(change);
        return new FrozenWhatIf(cluster, all);
    }

    @Override
    public WhatIf with(Collection<? extends ClusterObject> objects) {
        List<ClusterObject> added = List.copyOf(objects);
        return changed(transaction -> transaction.with(added));
    }

    @Override
    public WhatIf without(Collection<String> nodeNames) {
        List<String> gone = List.copyOf(nodeNames);
        return changed(transaction -> transaction.without(gone));
    }

    @Override
    public WhatIf evict(Collection<Pod> pods) {
        List<Pod> gone = List.copyOf(pods);
        return changed(transaction -> transaction.evict(gone));
    }

    @Override
    public WhatIf among(Collection<String> nodeNames) {
        List<String> left = List.copyOf(nodeNames);
        return changed(transaction -> transaction.among(left));
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
