// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.NodeSelector;

/**
 * The nodes on which the devices of a slice, or one of its devices, are available. A node selector with a term that
 * cannot be parsed, for example {@code Gt} with a value that is not a number, is an error for every node.
 *
 * @param selection the selection
 * @param error why its node selector cannot be parsed; empty if it can, or if none applies
 */
record NodeReach(NodeSelection selection, Optional<String> error) {
    static NodeReach of(NodeSelection selection) {
        boolean isBySelector = selection.nodeName().isEmpty() && !selection.allNodes();
        return new NodeReach(
                selection, isBySelector ? selection.nodeSelector().flatMap(NodeReach::error) : Optional.empty());
    }

    private static Optional<String> error(NodeSelector selector) {
        return selector.parseError()
                .map(error -> "failed to parse node selector " + GoText.of(selector) + ": " + error);
    }

    /** Returns whether a node is included; without an {@link #error} only. */
    boolean includes(Node node) {
        return selection.includes(node);
    }

    /** Returns whether a node is included, or false if the node selector cannot be parsed. */
    boolean includesIfValid(Node node) {
        return error.isEmpty() && selection.includes(node);
    }

    /**
     * Returns whether a node is included.
     *
     * @throws AllocationException if the node selector cannot be parsed
     */
    boolean checkedIncludes(Node node) {
        if (error.isPresent()) {
            throw new AllocationException(error.get());
        }
        return selection.includes(node);
    }

    /** A node selector as Kubernetes' messages show it. */
    private static final class GoText {
        static String of(NodeSelector selector) {
            StringBuilder text = new StringBuilder("&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{");
            for (NodeSelector.Term term : selector.terms()) {
                text.append("NodeSelectorTerm{MatchExpressions:");
                add(term.matchExpressions(), text);
                text.append(",MatchFields:");
                add(term.matchFields(), text);
                text.append(",},");
            }
            return text.append("},}").toString();
        }

        private static void add(List<NodeSelector.Requirement> requirements, StringBuilder text) {
            text.append("[]NodeSelectorRequirement{");
            for (NodeSelector.Requirement requirement : requirements) {
                text.append("NodeSelectorRequirement{Key:")
                        .append(requirement.key())
                        .append(",Operator:")
                        .append(requirement.operator())
                        .append(",Values:[")
                        .append(String.join(" ", requirement.values()))
                        .append("],},");
            }
            text.append('}');
        }
    }
}
