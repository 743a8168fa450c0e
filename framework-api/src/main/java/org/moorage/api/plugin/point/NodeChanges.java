// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a {@link SignPlugin}'s own data that affect its results for nodes, such as new measurements, a changed
 * custom resource or a reservation. The scheduler reads them before it reuses a cached result. The plugin must change
 * its data first and report the change afterwards. Thread-safe.
 *
 * <p>For example:
 *
 * <pre>{@code
 * private final NodeChanges changes = new NodeChanges();
 *
 * private void rackChanged(ObjectChange<OtherObject> change) {
 *     racksByNode.put(change.latest().name(), Rack.of(change.latest()));
 *     changes.add(change.latest().name());
 * }
 * }</pre>
 */
public final class NodeChanges {
    // Older changes count as changes of all nodes.
    private static final int MOST = 1024;

    // The change with number n is at index n % MOST; guarded by this.
    private final @Nullable String[] nodes = new @Nullable String[MOST];
    private long lastOfAll;
    // Changed under the lock, read without it.
    private volatile long count;

    /** Creates an object without changes. */
    public NodeChanges() {}

    /** Reports that the results for the node with a name may differ from earlier ones. The node may not exist. */
    public synchronized void add(String nodeName) {
        long number = count + 1;
        nodes[(int) (number % MOST)] = Objects.requireNonNull(nodeName, "nodeName");
        count = number;
    }

    /** Reports that the results for all nodes may differ from earlier ones. */
    public synchronized void addAll() {
        lastOfAll = count + 1;
        count = lastOfAll;
    }

    /** Returns the number of changes so far. */
    public long count() {
        return count;
    }

    /**
     * Returns the names of the nodes that changed since an earlier {@link #count}.
     *
     * @return the names; empty if these are all nodes, or too many changes ago
     */
    public synchronized Optional<Set<String>> since(long earlier) {
        if (earlier < lastOfAll || count - earlier > MOST) {
            return Optional.empty();
        }
        Set<String> names = new LinkedHashSet<>();
        for (long number = earlier + 1; number <= count; number++) {
            names.add(Objects.requireNonNull(nodes[(int) (number % MOST)]));
        }
        return Optional.of(names);
    }
}
