// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/**
 * A cluster as it was at a moment, to be asked about. It does not change; a question leaves nothing behind. To have a question see what
 * another one has placed, ask both in one {@linkplain #begin transaction}.
 *
 * <p>Any number of threads may ask at the same time. Each question or transaction has separate plugins, which share nothing with those of
 * the running scheduler: it neither waits for them nor sees them. They are made when more questions are asked at the same time than before,
 * and kept.
 *
 * <p>Data of plugins that is not among the cluster's objects, such as measurements, is read when the question is asked. If a plugin cannot
 * be made a second time, for example because it serves a port, the question fails with a {@code ConfigException} that names it; a plugin
 * that does not return blocks only the thread that asks.
 */
public interface WhatIf extends Questions, AutoCloseable {
    /**
     * This cluster with objects added or replaced, see {@link Transaction#with(Collection)}. Several calls in a row are as one call with the
     * objects of all, so a chain of thousands costs no more than one long list.
     */
    WhatIf with(Collection<? extends ClusterObject> objects);

    /** As {@link #with(Collection)}. */
    default WhatIf with(ClusterObject... objects) {
        return with(Arrays.asList(Objects.requireNonNull(objects, "objects")));
    }

    /** This cluster without some nodes and the pods on them, see {@link Transaction#without(Collection)}. */
    WhatIf without(Collection<String> nodeNames);

    /** As {@link #without(Collection)}. */
    default WhatIf without(String... nodeNames) {
        return without(Arrays.asList(Objects.requireNonNull(nodeNames, "nodeNames")));
    }

    /** This cluster without some pods, see {@link Transaction#evict}. */
    WhatIf evict(Collection<Pod> pods);

    /** This cluster with only these nodes to choose from, see {@link Transaction#among}. */
    WhatIf among(Collection<String> nodeNames);

    /**
     * Returns this cluster with random choices in place of fixed ones, as kube-scheduler makes them: each question or transaction chooses at
     * random among nodes with equal scores, and its first cycle begins with a random node, which decides on the sample of nodes that a cycle
     * of a large cluster scores. Questions with the same seed have the same answers.
     *
     * @param seed the seed of the random numbers of each question or transaction, including those that plugins read
     */
    WhatIf breakingTiesAtRandom(long seed);

    /** A transaction on this cluster, for the current thread. To be closed. */
    Transaction begin();

    /**
     * Closes the plugins, those of open transactions when these are closed, and all clusters that were derived from this one. Calling it again
     * does no harm.
     */
    @Override
    void close();
}
