// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.Suggestions;

/** The nodes that a command line names. */
public final class SelectedNodes {
    private static final Map<String, String> ALIASES = Map.of(
            "zone", "topology.kubernetes.io/zone",
            "region", "topology.kubernetes.io/region",
            "type", "node.kubernetes.io/instance-type");

    private SelectedNodes() {}

    /**
     * Returns the names of the selected nodes, each once, in order.
     *
     * @param terms names of nodes, or label selectors; {@code zone}, {@code region} and {@code type} stand for the
     *     well-known labels
     * @throws CommandException if there is no such node, or none that is selected
     */
    public static List<String> of(List<String> terms, Map<String, Node> nodes) {
        Set<String> selected = new LinkedHashSet<>();
        for (String term : terms) {
            if (nodes.containsKey(term)) {
                selected.add(term);
            } else if (term.indexOf('=') >= 0 || term.indexOf(' ') >= 0 || term.indexOf('!') >= 0) {
                selected.addAll(select("nodes", term, nodes));
            } else {
                throw new CommandException("node \"" + term + "\" is not among the " + nodes.size()
                        + " nodes of the cluster." + Suggestions.hint(term, nodes.keySet()));
            }
        }
        return List.copyOf(selected);
    }

    /**
     * The names of the nodes that a selector selects.
     *
     * @param option where the selector is from
     * @throws CommandException if it selects none
     */
    public static List<String> select(String option, String text, Map<String, Node> nodes) {
        LabelSelector selector = SelectorText.parse(option, text, key -> ALIASES.getOrDefault(key, key));
        List<String> names = new ArrayList<>();
        for (Node node : nodes.values()) {
            if (selector.matches(node.labels())) {
                names.add(node.name());
            }
        }
        if (names.isEmpty()) {
            throw new CommandException(
                    option + ": \"" + text + "\" selects none of the " + nodes.size() + " nodes of the cluster");
        }
        return names;
    }
}
