// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * An immutable snapshot of a cluster that answers what-if questions. Questions leave no changes behind. For a question
 * that sees the placements of another one, use one {@linkplain #begin transaction} for both.
 *
 * <p>Safe for use by any number of threads. Each question or transaction has separate plugin instances, which share
 * nothing with those of the running scheduler. They are created when more questions run concurrently than before, and
 * reused.
 *
 * <p>Plugin data other than objects of the cluster, such as measurements, is read at the time of the question. If a
 * plugin cannot be created a second time, for example because it serves a port, the question fails with a {@code
 * ConfigException} that names it. A plugin that does not return blocks only the calling thread.
 */
public interface WhatIf extends Questions, AutoCloseable {
    /**
     * Returns this cluster with objects added or replaced, see {@link Transaction#with(Collection)}. A chain of calls
     * is equivalent to one call with all objects, and costs no more.
     */
    WhatIf with(Collection<? extends ClusterObject> objects);

    /** As {@link #with(Collection)}. */
    default WhatIf with(ClusterObject... objects) {
        return with(Arrays.asList(Objects.requireNonNull(objects, "objects")));
    }

    /** Returns this cluster without some nodes and the pods on them, see {@link Transaction#without(Collection)}. */
    WhatIf without(Collection<String> nodeNames);

    /** As {@link #without(Collection)}. */
    default WhatIf without(String... nodeNames) {
        return without(Arrays.asList(Objects.requireNonNull(nodeNames, "nodeNames")));
    }

    /** Returns this cluster without some pods, see {@link Transaction#evict}. */
    WhatIf evict(Collection<Pod> pods);

    /** Returns this cluster with only the given candidate nodes, see {@link Transaction#among}. */
    WhatIf among(Collection<String> nodeNames);

    /**
     * Returns this cluster with random instead of fixed choices, as in kube-scheduler: each question or transaction
     * chooses at random among nodes with equal scores, and its first cycle begins with a random node, which determines
     * the sample of nodes that is scored in a large cluster. Questions with the same seed have the same results.
     *
     * @param seed the seed of the random numbers of each question or transaction, including those that plugins read
     */
    WhatIf breakingTiesAtRandom(long seed);

    /** Begins a transaction on this cluster, for the current thread. The caller must close it. */
    Transaction begin();

    /**
     * Closes the plugins and all clusters that were derived from this one; plugins of open transactions are closed with
     * these. Further calls have no effect.
     */
    @Override
    void close();
}
