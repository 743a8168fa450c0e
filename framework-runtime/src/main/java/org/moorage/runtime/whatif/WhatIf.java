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
 * <p>Any number of threads may ask at once. Each question or transaction has plugins of its own, which share nothing with those of the
 * running scheduler: that one waits for none, and sees none. They are made when more questions are asked at once than before, and kept.
 *
 * <p>What plugins know apart from the cluster's objects, such as measurements, is as it is when they are asked. A plugin that cannot be made
 * once more, since it serves a port, say, has the question fail with a {@code ConfigException} that names it; one that does not return
 * holds up the thread that asks, and nobody else.
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

    /** A transaction on this cluster, for the current thread. To be closed. */
    Transaction begin();

    /**
     * Closes the plugins that answer, those of open transactions when these are closed. What was derived from it is closed with it. Calling it
     * again does no harm.
     */
    @Override
    void close();
}
