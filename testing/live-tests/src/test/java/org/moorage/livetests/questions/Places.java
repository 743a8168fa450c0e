// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import java.util.Map;
import java.util.TreeMap;

/**
 * The pods of a workload, whose names matter to nobody.
 *
 * @param byNode how many are on each node
 * @param waiting how many have none
 */
record Places(Map<String, Integer> byNode, int waiting) {
    private static final Places NONE = new Places(Map.of(), 0);

    /**
     * Those of all workloads, whose pods' names begin with their own and a dash.
     *
     * @param nodeByPod the nodes by names of pods; empty for a pod that waits
     */
    static Map<String, Places> of(Map<String, String> nodeByPod) {
        Map<String, Places> places = new TreeMap<>();
        nodeByPod.forEach((pod, node) -> places.merge(workload(pod), NONE.plus(node), Places::plus));
        return places;
    }

    static String workload(String pod) {
        return pod.split("-", 2)[0];
    }

    private Places plus(String node) {
        return plus(node.isEmpty() ? new Places(Map.of(), 1) : new Places(Map.of(node, 1), 0));
    }

    private Places plus(Places other) {
        Map<String, Integer> sum = new TreeMap<>(byNode);
        other.byNode.forEach((node, pods) -> sum.merge(node, pods, Integer::sum));
        return new Places(sum, waiting + other.waiting);
    }

    int placed() {
        return byNode.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public String toString() {
        return byNode + (waiting == 0 ? "" : " and " + waiting + " wait");
    }
}
