// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.TemplatePredicate;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;

/**
 * The number of pods by node, for each template: for the pods that no {@link TemplatePredicate} distinguishes. A
 * cluster has far fewer templates than pods, so that counting by template replaces a visit of all pods.
 */
final class PodTemplates {
    // With most pods in templates of one pod, visiting the pods is better.
    private static final int MOST_CELLS_PER_POD = 16;
    // Counts do not shrink when pods move on to other nodes.
    private static final int MOST_CELLS_PER_POD_AFTER_CHANGES = 2 * MOST_CELLS_PER_POD;
    private static final int MOST_CELLS_OF_FEW_PODS = 1 << 16;

    private final int nodes;
    private long pods;
    private long cells;
    private final Map<TemplateKey, Template> byKey = new HashMap<>();

    private record TemplateKey(
            String namespace,
            Map<String, String> labels,
            boolean isDeleting,
            Optional<PodAffinity> affinity,
            Optional<PodAffinity> antiAffinity) {
        static TemplateKey of(Pod pod) {
            Affinity affinity = pod.spec().affinity();
            return new TemplateKey(
                    pod.namespace(),
                    pod.labels(),
                    pod.metadata().isDeleting(),
                    affinity.podAffinity(),
                    affinity.podAntiAffinity());
        }
    }

    private static final class Template {
        private final Pod any;
        private final NodeCounts counts;
        private int pods;

        Template(Pod any, int nodes) {
            this.any = any;
            counts = new NodeCounts(nodes);
        }
    }

    private PodTemplates(int nodes) {
        this.nodes = nodes;
    }

    /** Returns the templates of the pods on all nodes; null if they are too many. */
    static @Nullable PodTemplates of(List<NodeInfo> nodes) {
        PodTemplates templates = new PodTemplates(nodes.size());
        for (NodeInfo node : nodes) {
            boolean ignored = templates.change(node.index(), List.of(), node.pods());
        }
        return templates.hasAtMost(MOST_CELLS_PER_POD) ? templates : null;
    }

    /**
     * Changes the pods on a node.
     *
     * @return false if the counts need too much memory now
     */
    @SuppressWarnings("ReferenceEquality") // another version of a pod is another pod
    boolean change(int index, List<Pod> before, List<Pod> after) {
        int most = Math.max(before.size(), after.size());
        for (int i = 0; i < most; i++) {
            Pod old = i < before.size() ? before.get(i) : null;
            Pod now = i < after.size() ? after.get(i) : null;
            if (old != now) {
                add(old, index, -1);
                add(now, index, 1);
            }
        }
        return hasAtMost(MOST_CELLS_PER_POD_AFTER_CHANGES);
    }

    private boolean hasAtMost(int cellsPerPod) {
        return cells <= cellsPerPod * pods + MOST_CELLS_OF_FEW_PODS;
    }

    private void add(@Nullable Pod pod, int index, int amount) {
        if (pod == null) {
            return;
        }
        TemplateKey key = TemplateKey.of(pod);
        Template template = byKey.get(key);
        if (template == null) {
            template = new Template(pod, nodes);
            byKey.put(key, template);
            cells += template.counts.cells();
        }
        cells -= template.counts.cells();
        template.counts.add(index, amount);
        cells += template.counts.cells();
        pods += amount;
        template.pods += amount;
        if (template.pods == 0) {
            byKey.remove(key);
            cells -= template.counts.cells();
        }
    }

    /** Returns the number of matching pods by node. */
    NodeCounts count(TemplatePredicate which) {
        NodeCounts sum = new NodeCounts(nodes);
        for (Template template : byKey.values()) {
            if (which.test(template.any)) {
                template.counts.addTo(sum);
            }
        }
        return sum;
    }
}
