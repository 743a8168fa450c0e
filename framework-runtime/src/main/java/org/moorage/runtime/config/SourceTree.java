// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.Problems;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The first document of a YAML or JSON text as a tree that knows where each of its fields stands. Plain words are read as
 * kube-scheduler reads them: {@code yes} is true and {@code 017} is 15, but {@code 1:30} and {@code 2001-01-01} are texts.
 */
final class SourceTree {
    private final JsonNodeFactory nodes = JsonNodeFactory.instance;
    private final String sourceName;
    private final ObjectNode root;
    private final Map<String, Mark> markByPath = new LinkedHashMap<>();
    private final Map<String, String> flagByPath = new LinkedHashMap<>();

    private SourceTree(String sourceName) {
        this.sourceName = sourceName;
        this.root = nodes.objectNode();
    }

    /** What the text was read from. */
    String sourceName() {
        return sourceName;
    }

    /** Reads the text. What is wrong with it is reported; the tree then has what could be read. */
    static SourceTree read(String text, String sourceName, Problems problems) {
        SourceTree tree = new SourceTree(sourceName);
        tree.fill(text, problems);
        return tree;
    }

    ObjectNode root() {
        return root;
    }

    /** Where the field's value comes from, {@code scheduler.yaml:12} or {@code --flag}; empty if it is not given. */
    Optional<String> origin(String path) {
        String flag = flagByPath.get(path);
        if (flag != null) {
            return Optional.of(flag);
        }
        Mark mark = markByPath.get(path);
        return mark == null ? Optional.empty() : Optional.of(sourceName + ":" + (mark.getLine() + 1));
    }

    /** Where each field stands, to the column. */
    Map<String, String> locations() {
        Map<String, String> locations = new LinkedHashMap<>();
        markByPath.forEach((path, mark) -> locations.put(path, location(mark)));
        locations.putAll(flagByPath);
        return locations;
    }

    /** Overrides a field, in objects of objects; no list is entered. */
    void set(FlagValue value) {
        ObjectNode at = root;
        String[] fields = value.path().split("\\.", -1);
        for (int i = 0; i < fields.length - 1; i++) {
            JsonNode next = at.path(fields[i]);
            if (next.isMissingNode() || next.isNull()) {
                at = at.putObject(fields[i]);
            } else if (next instanceof ObjectNode object) {
                at = object;
            } else {
                // Not an object where there must be one: that is reported when it is read.
                return;
            }
        }
        at.set(fields[fields.length - 1], value.value());
        flagByPath.put(value.path(), value.flag());
    }

    private void fill(String text, Problems problems) {
        // JSON may be indented with tabs, which YAML does not allow; inside of JSON's strings there are none.
        String readable = text.stripLeading().startsWith("{") ? text.replace('\t', ' ') : text;
        LoaderOptions options = new LoaderOptions();
        Node document;
        try {
            Composer composer =
                    new Composer(new ParserImpl(new StreamReader(readable), options), new PlainWords(), options);
            document = composer.checkNode() ? composer.getNode() : null;
        } catch (MarkedYAMLException notYaml) {
            Mark mark = notYaml.getProblemMark();
            if (mark != null) {
                markByPath.put("", mark);
            }
            problems.report("not YAML: " + notYaml.getProblem());
            return;
        } catch (YAMLException notYaml) {
            problems.report("not YAML: " + firstLine(notYaml.getMessage()));
            return;
        }
        if (document == null) {
            return;
        }
        if (document instanceof MappingNode mapping) {
            fill(root, mapping, new ArrayDeque<>(), problems);
            return;
        }
        JsonNode value = convert(document, new ArrayDeque<>(), problems);
        if (!value.isNull()) {
            Scalars.wrong(value, "fields, such as apiVersion and kind", problems);
        }
    }

    private JsonNode convert(Node node, Deque<Node> around, Problems problems) {
        if (node instanceof ScalarNode scalar) {
            return convert(scalar);
        }
        if (around.contains(node)) {
            problems.report("an alias that refers to what it is part of (expected: a tree)");
            return nodes.nullNode();
        }
        if (node instanceof MappingNode mapping) {
            ObjectNode object = nodes.objectNode();
            fill(object, mapping, around, problems);
            return object;
        }
        if (node instanceof SequenceNode sequence) {
            around.push(node);
            ArrayNode array = nodes.arrayNode();
            for (Node item : sequence.getValue()) {
                Problems at = problems.at(array.size());
                mark(at.path(), item);
                array.add(convert(item, around, at));
            }
            around.pop();
            return array;
        }
        throw new IllegalStateException("node: " + node.getNodeId() + " (expected: scalar, sequence or mapping)");
    }

    private void fill(ObjectNode object, MappingNode mapping, Deque<Node> around, Problems problems) {
        around.push(mapping);
        List<Node> merged = new ArrayList<>();
        for (NodeTuple entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                problems.report("a key that is not a text (expected: names of fields)");
                continue;
            }
            if (key.getTag().equals(Tag.MERGE)) {
                merged.add(entry.getValueNode());
                continue;
            }
            Problems at = problems.at(key.getValue());
            if (object.has(key.getValue())) {
                at.report("given twice, again at " + location(key.getStartMark()) + " (expected: once)");
                continue;
            }
            mark(at.path(), key);
            object.set(key.getValue(), convert(entry.getValueNode(), around, at));
        }
        for (Node value : merged) {
            merge(object, value, around, problems);
        }
        around.pop();
    }

    // What is merged gives way to what is written, and what is merged first counts.
    private void merge(ObjectNode object, Node value, Deque<Node> around, Problems problems) {
        if (value instanceof SequenceNode sequence) {
            for (Node item : sequence.getValue()) {
                merge(object, item, around, problems);
            }
            return;
        }
        if (!(value instanceof MappingNode mapping) || around.contains(mapping)) {
            problems.at("<<").report("cannot be merged (expected: an alias of other fields)");
            return;
        }
        ObjectNode others = nodes.objectNode();
        Map<String, Mark> written = new LinkedHashMap<>(markByPath);
        fill(others, mapping, around, problems);
        markByPath.putAll(written);
        others.properties().forEach(entry -> object.putIfAbsent(entry.getKey(), entry.getValue()));
    }

    private JsonNode convert(ScalarNode scalar) {
        String text = scalar.getValue();
        Tag tag = scalar.getTag();
        if (tag.equals(Tag.NULL)) {
            return nodes.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            String word = text.toLowerCase(Locale.ROOT);
            return nodes.booleanNode(word.startsWith("y") || word.startsWith("t") || word.equals("on"));
        }
        try {
            if (tag.equals(Tag.INT)) {
                return integer(text.replace("_", ""));
            }
            if (tag.equals(Tag.FLOAT)) {
                return nodes.numberNode(Double.parseDouble(text.replace("_", "")));
            }
        } catch (NumberFormatException taggedByHand) {
            return nodes.textNode(text);
        }
        return nodes.textNode(text);
    }

    private JsonNode integer(String text) {
        String sign = text.startsWith("-") ? "-" : "";
        String digits = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
        BigInteger value;
        if (digits.startsWith("0b")) {
            value = new BigInteger(sign + digits.substring(2), 2);
        } else if (digits.startsWith("0x")) {
            value = new BigInteger(sign + digits.substring(2), 16);
        } else if (digits.startsWith("0o")) {
            value = new BigInteger(sign + digits.substring(2), 8);
        } else if (digits.startsWith("0") && digits.length() > 1) {
            value = new BigInteger(sign + digits, 8);
        } else {
            value = new BigInteger(sign + digits);
        }
        return value.bitLength() < Long.SIZE ? Scalars.node(value.longValueExact()) : nodes.numberNode(value);
    }

    private void mark(String path, Node node) {
        Mark mark = node.getStartMark();
        if (mark != null) {
            markByPath.put(path, mark);
        }
    }

    private String location(@Nullable Mark mark) {
        return mark == null ? sourceName : sourceName + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1);
    }

    private static String firstLine(@Nullable String message) {
        return message == null ? "cannot be read" : message.lines().findFirst().orElse("cannot be read");
    }

    /** What an unquoted word is, by the rules of the YAML library that Kubernetes uses, which are its own. */
    private static final class PlainWords extends Resolver {
        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(
                    Tag.BOOL,
                    Pattern.compile("(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE"
                            + "|on|On|ON|off|Off|OFF)"),
                    "yYnNtTfFoO");
            addImplicitResolver(
                    Tag.INT,
                    Pattern.compile("[-+]?(?:0b[01_]*[01]_*|0x[0-9a-fA-F_]*[0-9a-fA-F]_*|0o?[0-7_]*[0-7]_*"
                            + "|[1-9][0-9_]*|0)"),
                    "-+0123456789");
            addImplicitResolver(
                    Tag.FLOAT,
                    Pattern.compile("[-+]?(?:\\.[0-9]+|[0-9][0-9_]*(?:\\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"),
                    "-+0123456789.");
            addImplicitResolver(Tag.MERGE, Pattern.compile("<<"), "<");
            addImplicitResolver(Tag.NULL, Pattern.compile("~|null|Null|NULL|"), "~nN\0");
            addImplicitResolver(Tag.NULL, EMPTY, null);
        }
    }
}
