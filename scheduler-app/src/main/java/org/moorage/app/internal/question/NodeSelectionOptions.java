// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.Suggestions;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The nodes that a command line names: by name, by a selector in place of a name, or by {@code --selector}. */
public final class NodeSelectionOptions {
    private static final Map<String, String> ALIASES = Map.of(
            "zone", "topology.kubernetes.io/zone",
            "region", "topology.kubernetes.io/region",
            "type", "node.kubernetes.io/instance-type");

    @Parameters(
            arity = "0..*",
            paramLabel = "NODE",
            description =
                    "Names of nodes, or label selectors such as zone=a; zone, region and type stand for the well-known"
                            + " labels.")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = {"-l", "--selector"},
            paramLabel = "SELECTOR",
            description = "Label selector of nodes.")
    private Optional<String> selector = Optional.empty();

    /**
     * Returns the names of the nodes, each once, in order; none if the command line names none.
     *
     * @param known the nodes of the cluster by name
     * @throws CommandException if a node does not exist, or a selector selects none
     */
    public List<String> names(Map<String, Node> known) {
        Set<String> names = named(nodes, known);
        selector.ifPresent(text -> names.addAll(select("--selector", text, known)));
        return List.copyOf(names);
    }

    private static Set<String> named(List<String> terms, Map<String, Node> nodes) {
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
        return selected;
    }

    private static List<String> select(String option, String text, Map<String, Node> nodes) {
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
