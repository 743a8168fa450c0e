// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Node;
import org.moorage.app.internal.answer.NodeLabels;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.answer.NodePrices.Priced;
import picocli.CommandLine.Option;

/** The option that names a file of prices. */
public final class PriceOptions {
    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "File with the price per hour of a node by type or name, such as m5.large: 0.096; adds costs"
                    + " to the answer.")
    private Optional<Path> file = Optional.empty();

    /**
     * Reads the file.
     *
     * @return empty if no file is named
     * @throws org.moorage.app.internal.process.CommandException if the file cannot be read, or has something else than
     *     prices
     */
    public Optional<PricesFile> read() {
        return file.map(PricesFile::read);
    }

    /**
     * Reads the prices of nodes.
     *
     * @return {@link NodePrices#NONE} if no file is named
     * @throws org.moorage.app.internal.process.CommandException as {@link #read}, or if a node has no price
     */
    public NodePrices of(Collection<Node> nodes) {
        Optional<PricesFile> prices = read();
        if (prices.isEmpty()) {
            return NodePrices.NONE;
        }
        Map<String, Priced> byNode = new HashMap<>();
        for (Node node : nodes) {
            String type = NodeLabels.instanceType(node);
            byNode.put(
                    node.name(),
                    new Priced(type.isEmpty() ? node.name() : type, prices.get().of(node)));
        }
        return new NodePrices(byNode);
    }
}
