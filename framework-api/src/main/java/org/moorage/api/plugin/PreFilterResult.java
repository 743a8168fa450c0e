// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Status;

/** The answer of {@link PreFilterPlugin#preFilter}. */
public final class PreFilterResult {
    private static final PreFilterResult ALL_NODES = new PreFilterResult(Status.success(), null);
    private static final PreFilterResult SKIP = new PreFilterResult(Status.skip(), null);

    private final Status status;
    private final @Nullable Set<String> nodeNames;

    private PreFilterResult(Status status, @Nullable Set<String> nodeNames) {
        this.status = status;
        this.nodeNames = nodeNames;
    }

    /** Go on, with all nodes. */
    public static PreFilterResult allNodes() {
        return ALL_NODES;
    }

    /** Go on, with only these nodes; those that do not exist are left out. */
    public static PreFilterResult onlyNodes(Set<String> names) {
        return new PreFilterResult(Status.success(), Set.copyOf(names));
    }

    /** Go on, and leave this plugin's Filter and its {@link PreFilterExtensions} out. */
    public static PreFilterResult skip() {
        return SKIP;
    }

    /**
     * No node will do.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PreFilterResult rejected(Status status) {
        return new PreFilterResult(Rejected.checked(status), null);
    }

    /** Success, skip, or the rejection. */
    public Status status() {
        return status;
    }

    /** The nodes to look at; empty for all. */
    public Optional<Set<String>> nodeNames() {
        return Optional.ofNullable(nodeNames);
    }
}
