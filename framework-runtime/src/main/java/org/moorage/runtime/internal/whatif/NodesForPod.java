// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cycle.FittingNodes;
import org.moorage.runtime.whatif.Fit;

/**
 * The nodes that a pod fits.
 *
 * @param pod the pod
 * @param gate the rejection by PreEnqueue, which keeps the pod from being tried; empty if there is none
 * @param nodes the nodes
 */
record NodesForPod(Pod pod, Optional<PluginStatus> gate, FittingNodes nodes) implements Fit {
    @Override
    public boolean fits() {
        return gate.isEmpty() && !nodes.feasible().isEmpty();
    }

    @Override
    public List<String> feasible() {
        return nodes.names();
    }

    @Override
    public int nodeCount() {
        return nodes.all().size();
    }

    @Override
    public Optional<PluginStatus> whyNot(String nodeName) {
        for (NodeInfo node : nodes.all()) {
            if (node.name().equals(nodeName)) {
                return Optional.ofNullable(nodes.rejection(node));
            }
        }
        return Optional.empty();
    }

    @Override
    public Map<String, PluginStatus> rejections() {
        Map<String, PluginStatus> rejections = new LinkedHashMap<>();
        for (NodeInfo node : nodes.all()) {
            PluginStatus rejection = nodes.rejection(node);
            if (rejection != null) {
                rejections.put(node.name(), rejection);
            }
        }
        return Collections.unmodifiableMap(rejections);
    }

    @Override
    public String message() {
        return gate.map(answer -> answer.status().message()).orElse(nodes.message());
    }
}
