// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.PodExplanation;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChanges;

/**
 * A cluster that a page shows, to be asked what the plugins say of its pods.
 *
 * @param view its nodes and pods
 * @param questions what the plugins say of a pod of the cluster, see {@link #explain(WhatIf, ClusterView, Pod)}
 * @param profiles the names of the profiles, for pods of which it can be asked
 */
public record ShownCluster(ClusterView view, Function<Pod, Explanation> questions, Set<String> profiles) {
    /** The time limit of the search for changes that would make a pod fit, because a user waits for the page. */
    public static final Duration LONGEST_CHANGES = Duration.ofSeconds(2);

    public ShownCluster {
        profiles = Set.copyOf(profiles);
    }

    /**
     * Evaluates a pod as if it were pending and used no resources of the node that it may have, and searches for
     * changes that would make it fit, for at most {@link #LONGEST_CHANGES}.
     *
     * @param view the nodes of that cluster
     */
    public static Explanation explain(WhatIf cluster, ClusterView view, Pod pod) {
        try (Transaction transaction = cluster.begin()) {
            if (pod.isBound()) {
                Transaction ignored = transaction.evict(List.of(pod));
            }
            Evaluation evaluation = transaction.evaluate(pod.withoutNode());
            List<FittingChange> changes = new FittingChanges(transaction, view.nodes(), evaluation)
                    .within(LONGEST_CHANGES)
                    .all();
            return new Explanation(Explanation.Moment.NOW, Optional.empty(), Optional.empty(), 0, evaluation, changes);
        }
    }

    /** Returns the pod with the key {@code NAMESPACE/NAME}; empty if there is none. */
    Optional<Pod> pod(String key) {
        for (ClusterView.PodView pod : view.pods()) {
            if (pod.pod().key().equals(key)) {
                String node = pod.nodeName();
                return Optional.of(node.isEmpty() ? pod.pod() : pod.pod().withNode(node));
            }
        }
        return Optional.empty();
    }

    /** Returns the answer of {@code explain} for a pod. */
    PodExplanation explain(Pod pod) {
        List<String> notes = pod.isBound()
                ? List.of("The pod runs on " + pod.nodeName()
                        + ". It is evaluated as if it were pending and not on that node.")
                : List.of();
        return PodExplanation.of(questions.apply(pod), notes);
    }
}
