// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;
import org.moorage.app.internal.answer.NodeLabels;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.Suggestions;
import org.moorage.objects.internal.ManifestYamlFactory;

/**
 * A file of prices, in YAML or JSON: the price per hour of a node by the name of its type.
 *
 * @param file the path of the file
 * @param byType the prices by type
 */
public record PricesFile(Path file, Map<String, Double> byType) {
    private static final String EXPECTED = "prices of an hour by node type, such as m5.large: 0.096";
    private static final double HIGHEST = 1e9;

    /**
     * Reads the file.
     *
     * @throws CommandException if it cannot be read, or has something else than prices
     */
    public static PricesFile read(Path file) {
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
     * Returns the price of a node: the entry of its name, else the one of its instance type.
     *
     * @throws CommandException if there is none
     */
    public double of(Node node) {
        return of(node.name(), NodeLabels.instanceType(node));
    }

    /**
     * Returns the price of a name, else the one of an instance type.
     *
     * @param type the instance type; empty if unknown
     * @throws CommandException if there is none
     */
    public double of(String name, String type) {
        @Nullable Double price = byType.containsKey(name) ? byType.get(name) : byType.get(type);
        if (price == null) {
            String missing = type.isEmpty() ? name : type;
            throw new CommandException(file + ": no price of \"" + missing + "\" (expected: an entry with its price)."
                    + Suggestions.hint(missing, byType.keySet()));
        }
        return price;
    }
}
