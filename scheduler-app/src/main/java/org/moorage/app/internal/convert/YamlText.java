// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.convert;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * A text of YAML or JSON documents, and edits of it that leave all other characters as they are: comments, blank lines,
 * the order and the style of fields.
 */
final class YamlText {
    private static final int DEEPEST = 500;

    // Marks count code points.
    private final int[] text;
    private final List<Node> documents = new ArrayList<>();
    private final List<Edit> edits = new ArrayList<>();

    /** The replacement of the characters from a start to an end. */
    private record Edit(int start, int end, String replacement) {}

    private YamlText(int[] text) {
        this.text = text;
    }

    /**
     * Parses a text.
     *
     * @throws YAMLException if it is not YAML, or is nested too deeply
     */
    static YamlText parse(String text) {
        YamlText parsed = new YamlText(text.codePoints().toArray());
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        options.setNestingDepthLimit(DEEPEST);
        new Yaml(options).composeAll(new StringReader(text)).forEach(parsed.documents::add);
        return parsed;
    }

    /** Returns the roots of the documents. */
    List<Node> documents() {
        return documents;
    }

    /** Returns the field of a mapping; empty if it has none of that name. */
    static Optional<NodeTuple> field(Node mapping, String name) {
        if (mapping instanceof MappingNode fields) {
            for (NodeTuple tuple : fields.getValue()) {
                if (tuple.getKeyNode() instanceof ScalarNode key
                        && key.getValue().equals(name)) {
                    return Optional.of(tuple);
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the value at a path of fields; empty if a field is missing. */
    static Optional<Node> value(Node mapping, String... path) {
        Optional<Node> value = Optional.of(mapping);
        for (String name : path) {
            value = value.flatMap(fields -> field(fields, name)).map(NodeTuple::getValueNode);
        }
        return value;
    }

    /** Returns the text at a path of fields; empty if there is no scalar. */
    static String scalar(Node mapping, String... path) {
        return value(mapping, path)
                .filter(ScalarNode.class::isInstance)
                .map(node -> ((ScalarNode) node).getValue())
                .orElse("");
    }

    /** Returns the number of a node's line, from 1. */
    static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }

    static boolean isFlow(Node node) {
        return node instanceof MappingNode mapping && mapping.getFlowStyle() == FlowStyle.FLOW;
    }

    /** Returns whether the fields of a mapping are written as in JSON. */
    static boolean isJson(Node node) {
        return node instanceof MappingNode mapping
                && isFlow(node)
                && mapping.getValue().stream()
                        .allMatch(tuple -> tuple.getKeyNode() instanceof ScalarNode key
                                && key.getScalarStyle() == ScalarStyle.DOUBLE_QUOTED);
    }

    /** Returns the text of a node as it is written. */
    String written(Node node) {
        int start = node.getStartMark().getIndex();
        return new String(text, start, end(node) - start);
    }

    /** Replaces a node. */
    void replace(Node node, String replacement) {
        edits.add(new Edit(node.getStartMark().getIndex(), end(node), replacement));
    }

    /**
     * Adds a field at the beginning of a mapping with fields.
     *
     * @param block the lines of the field in block style, without indentation
     * @param flow the field in flow style
     */
    void addFirst(MappingNode mapping, List<String> block, String flow) {
        if (isFlow(mapping)) {
            int start = mapping.getStartMark().getIndex();
            while (text[start] != '{') {
                start++;
            }
            edits.add(new Edit(start + 1, start + 1, flow + (mapping.getValue().isEmpty() ? "" : ", ")));
        } else {
            // The mark of a mapping with an anchor is that of the anchor.
            Node first = mapping.getValue().get(0).getKeyNode();
            int start = first.getStartMark().getIndex();
            String indent = indent(first);
            edits.add(new Edit(start, start, String.join("\n" + indent, block) + "\n" + indent));
        }
    }

    /** Replaces a field of a block mapping by lines without indentation. */
    void replace(NodeTuple field, List<String> block) {
        Node key = field.getKeyNode();
        edits.add(new Edit(key.getStartMark().getIndex(), end(field), String.join("\n" + indent(key), block)));
    }

    /** Turns a field of a block mapping into a comment, below a remark. */
    void comment(NodeTuple field, String remark) {
        Node key = field.getKeyNode();
        int start = key.getStartMark().getIndex();
        String indent = indent(key);
        edits.add(new Edit(start, start, "# " + remark + "\n" + indent + "# "));
        int end = end(field);
        for (int i = start; i < end; i++) {
            if (text[i] == '\n' && i + 1 < end) {
                int column = 0;
                while (column < indent.length() && i + 1 + column < end && text[i + 1 + column] == ' ') {
                    column++;
                }
                edits.add(new Edit(i + 1 + column, i + 1 + column, "# "));
            }
        }
    }

    /** Adds lines of comment above a field of a block mapping that begins its line. */
    void addComment(Node key, String remark) {
        int start = key.getStartMark().getIndex();
        edits.add(new Edit(start, start, "# " + remark + "\n" + indent(key)));
    }

    /** Removes a field from a mapping, with its lines in block style. */
    void remove(MappingNode mapping, NodeTuple field) {
        List<NodeTuple> fields = mapping.getValue();
        int index = fields.indexOf(field);
        int start = field.getKeyNode().getStartMark().getIndex();
        int end = end(field);
        if (fields.size() == 1 && isFlow(mapping)) {
            replace(mapping, "{}");
        } else if (!isFlow(mapping)) {
            removeLines(start, end);
        } else if (index == 0) {
            edits.add(new Edit(start, fields.get(1).getKeyNode().getStartMark().getIndex(), ""));
        } else {
            edits.add(new Edit(end(fields.get(index - 1)), end, ""));
        }
    }

    /** Replaces the value of a field by an empty mapping. */
    void empty(NodeTuple field) {
        edits.add(new Edit(field.getKeyNode().getEndMark().getIndex(), end(field), ": {}"));
    }

    // A field that follows the dash of a list keeps the dash for the next one.
    private void removeLines(int start, int end) {
        int from = start;
        while (from > 0 && text[from - 1] == ' ') {
            from--;
        }
        int to = end;
        while (to < text.length && text[to] != '\n') {
            to++;
        }
        boolean beginsLine = from == 0 || text[from - 1] == '\n';
        if (beginsLine) {
            edits.add(new Edit(from, Math.min(to + 1, text.length), ""));
            return;
        }
        int next = to;
        while (next < text.length && (text[next] == '\n' || text[next] == ' ')) {
            next++;
        }
        edits.add(new Edit(start, next, ""));
    }

    private static String indent(Node node) {
        return " ".repeat(node.getStartMark().getColumn());
    }

    // The marks of an alias are those of the node that it stands for.
    private int end(NodeTuple field) {
        Node key = field.getKeyNode();
        Node value = field.getValueNode();
        if (value.getStartMark().getIndex() > key.getStartMark().getIndex()) {
            return end(value);
        }
        int end = key.getEndMark().getIndex();
        while (end < text.length && "\n,}".indexOf(text[end]) < 0) {
            end++;
        }
        return end;
    }

    // The end mark of a block is that of what follows it.
    private int end(Node node) {
        if (node instanceof MappingNode mapping && !isFlow(node)) {
            int end = node.getStartMark().getIndex();
            for (NodeTuple tuple : mapping.getValue()) {
                end = Math.max(end, end(tuple));
            }
            return end;
        }
        if (node instanceof SequenceNode sequence && sequence.getFlowStyle() != FlowStyle.FLOW) {
            int end = node.getStartMark().getIndex();
            for (Node item : sequence.getValue()) {
                end = Math.max(end, end(item));
            }
            return end;
        }
        return node.getEndMark().getIndex();
    }

    /** Returns the edited text. */
    String edited() {
        List<Edit> sorted = new ArrayList<>(edits);
        sorted.sort(Comparator.comparingInt(Edit::start));
        StringBuilder edited = new StringBuilder();
        int from = 0;
        for (Edit edit : sorted) {
            if (edit.start >= from) {
                edited.append(new String(text, from, edit.start - from)).append(edit.replacement);
                from = edit.end;
            }
        }
        return edited.append(new String(text, from, text.length - from)).toString();
    }
}
