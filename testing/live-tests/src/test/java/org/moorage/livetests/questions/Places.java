// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import java.util.Map;
import java.util.TreeMap;

/**
 * The nodes of a workload's pods, regardless of the pods' names.
 *
 * @param byNode the number of pods on each node
 * @param waiting the number of pending pods
 */
record Places(Map<String, Integer> byNode, int waiting) {
    private static final Places NONE = new Places(Map.of(), 0);

    /**
     * Returns the places by workload; the names of a workload's pods start with its name and a dash.
     *
     * @param nodeByPod the nodes by pod name; empty for a pending pod
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
