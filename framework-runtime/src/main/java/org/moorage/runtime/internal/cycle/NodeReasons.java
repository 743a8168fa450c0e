// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.PluginStatus;

/** Counts why nodes will not do. */
final class NodeReasons {
    /** Plugins may give each node a reason of its own. */
    private static final int MOST_REASONS = 1_000;

    private final Map<Key, Count> counts = new LinkedHashMap<>();
    // Mostly the next node is rejected in the same words.
    private @Nullable PluginStatus last;
    private List<Count> countsOfLast = List.of();

    private record Key(String plugin, String reason) {}

    private static final class Count {
        private int nodes;
        private final List<String> examples = new ArrayList<>(AttemptDetails.EXAMPLES);
    }

    /** A node will not do. */
    void add(PluginStatus answer, String nodeName) {
        List<Count> told = counts(answer);
        for (int i = 0; i < told.size(); i++) {
            Count count = told.get(i);
            count.nodes++;
            if (count.examples.size() < AttemptDetails.EXAMPLES) {
                count.examples.add(nodeName);
            }
        }
    }

    /** So many nodes that nobody names will not do. */
    void add(PluginStatus answer, int nodes) {
        if (nodes > 0) {
            counts(answer).forEach(count -> count.nodes += nodes);
        }
    }

    @SuppressWarnings("ReferenceEquality") // what is the same need not be compared
    private List<Count> counts(PluginStatus answer) {
        boolean isSame = last != null && answer.status() == last.status() && answer.plugin() == last.plugin();
        if (!isSame && !answer.equals(last)) {
            List<Count> found = new ArrayList<>();
            for (String reason : answer.status().reasons()) {
                Key key = new Key(answer.plugin(), reason);
                Count count = counts.size() < MOST_REASONS
                        ? counts.computeIfAbsent(key, any -> new Count())
                        : counts.get(key);
                if (count != null) {
                    found.add(count);
                }
            }
            last = answer;
            countsOfLast = found;
        }
        return countsOfLast;
    }

    /** The reasons, that of most nodes first. */
    List<NodeReason> sorted() {
        List<NodeReason> all = new ArrayList<>();
        counts.forEach(
                (key, count) -> all.add(new NodeReason(key.plugin(), key.reason(), count.nodes, count.examples)));
        all.sort(Comparator.comparingInt(NodeReason::nodes).reversed());
        return all;
    }
}
