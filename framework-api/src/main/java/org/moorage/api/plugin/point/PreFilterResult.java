// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;

/** The result of {@link PreFilterPlugin#preFilter}. */
public final class PreFilterResult {
    private static final PreFilterResult ALL_NODES = new PreFilterResult(Status.success(), null);
    private static final PreFilterResult SKIP = new PreFilterResult(Status.skip(), null);

    private final Status status;
    private final @Nullable Set<String> nodeNames;

    private PreFilterResult(Status status, @Nullable Set<String> nodeNames) {
        this.status = status;
        this.nodeNames = nodeNames;
    }

    /** Returns the result that all nodes are examined. */
    public static PreFilterResult allNodes() {
        return ALL_NODES;
    }

    /** Returns the result that only these nodes are examined; names of nodes that do not exist are ignored. */
    public static PreFilterResult onlyNodes(Set<String> names) {
        return new PreFilterResult(Status.success(), Set.copyOf(names));
    }

    /** Returns the result that skips this plugin's Filter and its {@link PreFilterExtensions} for the cycle. */
    public static PreFilterResult skip() {
        return SKIP;
    }

    /**
     * Returns the result that rejects the pod on all nodes.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PreFilterResult rejected(Status status) {
        return new PreFilterResult(status.requireRejection(), null);
    }

    /** Returns success, skip, or the rejection. */
    public Status status() {
        return status;
    }

    /** Returns the names of the nodes to examine; empty for all nodes. */
    public Optional<Set<String>> nodeNames() {
        return Optional.ofNullable(nodeNames);
    }
}
