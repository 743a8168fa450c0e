// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.Node;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.NodeLabels;
import org.moorage.objects.Suggestions;
import org.moorage.objects.tree.ManifestYamlFactory;

/**
 * A file of prices, in YAML or JSON: the price of an hour of a node by the name of its type.
 *
 * @param file where it was read
 * @param byType the prices by type
 */
record PricesFile(Path file, Map<String, Double> byType) {
    private static final String EXPECTED = "prices of an hour by node type, such as m5.large: 0.096";
    private static final double HIGHEST = 1e9;

    /**
     * Reads the file.
     *
     * @throws CommandException if it cannot be read, or has something else than prices
     */
    static PricesFile read(Path file) {
        JsonNode root;
        try {
            root = ManifestYamlFactory.mapper()
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .readTree(ConfigFile.text(file, EXPECTED));
        } catch (IOException malformed) {
            String problem =
                    String.valueOf(malformed.getMessage()).lines().findFirst().orElse("");
            throw new CommandException(file + ": " + problem + " (expected: " + EXPECTED + ")", malformed);
        }
        if (root == null || !root.isObject()) {
            throw new CommandException(file + ": no prices (expected: " + EXPECTED + ")");
        }
        Map<String, Double> prices = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            JsonNode value = entry.getValue();
            double price = value.isNumber() ? value.asDouble() : Double.NaN;
            if (!(price >= 0 && price <= HIGHEST)) {
                throw new CommandException(
                        file + ": " + entry.getKey() + ": " + shortened(value) + " (expected: a number from 0 to 1e9)");
            }
            prices.put(entry.getKey(), price);
        }
        return new PricesFile(file, prices);
    }

    private static String shortened(JsonNode value) {
        String text = value.toString();
        return text.length() > 40 ? text.substring(0, 40) + "..." : text;
    }

    /**
     * The price of a node: the one of its name, else the one of its instance type.
     *
     * @throws CommandException if there is none
     */
    double of(Node node) {
        String type = NodeLabels.instanceType(node);
        return byType.containsKey(node.name()) || type.isEmpty()
                ? of(List.of(node.name()))
                : of(List.of(type, node.name()));
    }

    /**
     * The price of a type.
     *
     * @param names what the type is called, the first that has a price counts
     * @throws CommandException if there is none
     */
    double of(Iterable<String> names) {
        for (String name : names) {
            Double price = byType.get(name);
            if (price != null) {
                return price;
            }
        }
        String name = names.iterator().next();
        throw new CommandException(file + ": no price of \"" + name + "\" (expected: an entry with its price)."
                + Suggestions.hint(name, byType.keySet()));
    }
}
