// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.PluginStatus;

/** Counts the reasons why nodes are not feasible. */
final class NodeReasons {
    /** A limit, because plugins may give each node a different reason. */
    private static final int MOST_REASONS = 1_000;

    private final Map<ReasonKey, Count> counts = new LinkedHashMap<>();
    // Mostly the next node is rejected for the same reason: such nodes are only counted.
    private @Nullable PluginStatus last;
    private List<Count> countsOfLast = List.of();
    private int more;
    private boolean needsExamples;

    private record ReasonKey(String plugin, String reason) {}

    private static final class Count {
        private int nodes;
        private final List<String> examples = new ArrayList<>(AttemptDetails.EXAMPLES);
    }

    @SuppressWarnings("ReferenceEquality") // identical objects are equal
    void add(PluginStatus answer, NodeInfo node) {
        if (!needsExamples && last != null && answer.status() == last.status() && answer.plugin() == last.plugin()) {
            more++;
            return;
        }
        add(answer, 1, node.name());
    }

    /** Adds the rejection of several nodes; the example is the name of one of them, or empty. */
    void add(PluginStatus answer, int nodes, String example) {
        if (!answer.equals(last)) {
            begin(answer);
        }
        needsExamples = false;
        for (Count count : countsOfLast) {
            count.nodes += nodes;
            if (count.examples.size() < AttemptDetails.EXAMPLES && !example.isEmpty()) {
                count.examples.add(example);
                needsExamples |= count.examples.size() < AttemptDetails.EXAMPLES;
            }
        }
    }

    private void begin(PluginStatus answer) {
        end();
        List<Count> found = new ArrayList<>();
        for (String reason : answer.status().reasons()) {
            ReasonKey key = new ReasonKey(answer.plugin(), reason);
            Count count =
                    counts.size() < MOST_REASONS ? counts.computeIfAbsent(key, any -> new Count()) : counts.get(key);
            if (count != null) {
                found.add(count);
            }
        }
        last = answer;
        countsOfLast = found;
    }

    private void end() {
        for (Count count : countsOfLast) {
            count.nodes += more;
        }
        more = 0;
    }

    /** Returns the reasons, the one of the most nodes first. */
    List<NodeReason> sorted() {
        end();
        List<NodeReason> all = new ArrayList<>();
        counts.forEach(
                (key, count) -> all.add(new NodeReason(key.plugin(), key.reason(), count.nodes, count.examples)));
        all.sort(Comparator.comparingInt(NodeReason::nodes).reversed());
        return all;
    }
}
