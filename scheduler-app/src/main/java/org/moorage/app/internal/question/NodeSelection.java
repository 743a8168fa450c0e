// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The nodes that a command line names: by name, by a selector in place of a name, or by {@code --selector}. */
public final class NodeSelection {
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
     * @throws org.moorage.app.internal.process.CommandException if a node does not exist, or a selector selects none
     */
    public List<String> names(Map<String, Node> known) {
        Set<String> names = new LinkedHashSet<>(SelectedNodes.of(nodes, known));
        selector.ifPresent(text -> names.addAll(SelectedNodes.select("--selector", text, known)));
        return List.copyOf(names);
    }
}
