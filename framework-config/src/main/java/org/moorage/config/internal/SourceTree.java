// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.Problems;
import org.moorage.objects.tree.LinearStreamReader;
import org.moorage.objects.tree.YamlFault;
import org.moorage.objects.tree.YamlScalars;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The first document of a YAML or JSON text as a tree that records the location of each field. {@link YamlScalars}
 * reads its scalars.
 */
public final class SourceTree {
    /** Aliases of aliases grow exponentially, so the number of values that they stand for is limited. */
    private static final int MOST_VALUES = 100_000;

    /** The tag of scalars that have neither a tag nor quotes. */
    private static final Tag PLAIN = new Tag("!plain");

    private static final String FORMAT = "an object with apiVersion and kind";

    private final JsonNodeFactory nodes = JsonNodeFactory.instance;
    private final String sourceName;
    private final String text;
    private final Lines lines;
    private final ObjectNode root;
    private final Map<String, Place> placeByPath = new LinkedHashMap<>();
    private final Map<String, String> flagByPath = new LinkedHashMap<>();

    private final Problems uncounted = Problems.collector();
    private final List<Problems.Problem> ignoredFields = new ArrayList<>();
    private FieldNames names = FieldNames.SAME;
    private boolean isLenient;
    private int values;

    /** A location in a text; line and column count from 1. */
    private record Place(String sourceName, int line, int column) {
        @Override
        public String toString() {
            return sourceName + ":" + line + ":" + column;
        }
    }

    /**
     * The position of the lines of a text in the source.
     *
     * @param before how many lines of the source precede them
     * @param indents how much further to the right each line stands there; empty if they are the source's own
     */
    private record Lines(String sourceName, int before, List<Integer> indents) {
        static Lines of(String sourceName) {
            return new Lines(sourceName, 0, List.of());
        }

        Place place(int line, int column) {
            return new Place(sourceName, before + line, column + (line <= indents.size() ? indents.get(line - 1) : 0));
        }
    }

    private SourceTree(String sourceName, String text, Lines lines) {
        this.sourceName = sourceName;
        this.text = text;
        this.lines = lines;
        this.root = nodes.objectNode();
    }

    /** Returns the name of the text's source. */
    public String sourceName() {
        return sourceName;
    }

    /** Returns a tree without fields. */
    public static SourceTree empty(String sourceName) {
        return new SourceTree(sourceName, "", Lines.of(sourceName));
    }

    /** Reads the text, and reports its faults; the tree then has the fields that could be read. */
    public static SourceTree read(String text, String sourceName, Problems problems) {
        SourceTree tree = new SourceTree(sourceName, text, Lines.of(sourceName));
        tree.fill(problems);
        return tree;
    }

    /**
     * Reads the text that is the value at a path. Its fields have locations in the source if the text is there line by
     * line, as a block is; otherwise they have lines of that text. Messages name them after the path.
     */
    public SourceTree embedded(String path, Problems problems) {
        String value = at(path).asText();
        SourceTree tree = new SourceTree(sourceName, value, linesOf(path, value));
        tree.names = new FieldNames("", path);
        tree.fill(problems);
        Place place = placeByPath.get(path);
        if (place != null) {
            tree.placeByPath.putIfAbsent("", place);
        }
        return tree;
    }

    private Lines linesOf(String path, String value) {
        Lines own = Lines.of(sourceName + "(" + path + ")");
        Place key = placeByPath.get(path);
        List<String> source = text.lines().toList();
        List<String> written = value.lines().toList();
        if (key == null || key.line + written.size() > source.size()) {
            return own;
        }
        List<Integer> indents = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            String line = source.get(key.line + i);
            int indent = line.length() - written.get(i).length();
            if (!line.endsWith(written.get(i)) || !line.substring(0, indent).isBlank()) {
                return own;
            }
            indents.add(indent);
        }
        return new Lines(sourceName, key.line, indents);
    }

    /** Returns the parts of the text that are not read: a second document. */
    public List<Problems.Problem> uncounted() {
        return uncounted.all();
    }

    /** Ignores unknown fields from now on, as versions of kube-scheduler did that read this format. */
    public void ignoreUnknownFields() {
        isLenient = true;
    }

    /**
     * Reports an unknown field, or notes it where such fields are ignored.
     *
     * @param object has the field, and loses it where it is ignored
     * @param known the known fields
     * @param at where the field is
     */
    public void unknownField(ObjectNode object, String field, Collection<String> known, Problems at) {
        if (isLenient) {
            Problems ignored = Problems.collector();
            Suggestion.unknownField(known, field, ignored.at(at.path()));
            ignored.all()
                    .forEach(problem -> ignoredFields.add(new Problems.Problem(
                            problem.path(),
                            problem.message() + " It is ignored, as by kube-scheduler of that format.")));
            object.remove(field);
        } else {
            Suggestion.unknownField(known, field, at);
        }
    }

    /** Returns the unknown fields that were ignored. */
    public List<Problems.Problem> ignoredFields() {
        return List.copyOf(ignoredFields);
    }

    /** Returns a problem as a line, after where it is. */
    public String located(Problems.Problem problem) {
        String at = problem.path();
        while (!at.isEmpty() && origin(at).isEmpty()) {
            at = parent(at);
        }
        return origin(at).orElse(sourceName) + ": " + new Problems.Problem(names.of(problem.path()), problem.message());
    }

    /** Returns the names of its fields in messages. */
    public FieldNames names() {
        return names;
    }

    /** Sets the names of its fields in messages from now on. */
    public void nameFields(FieldNames other) {
        names = other;
    }

    public ObjectNode root() {
        return root;
    }

    /**
     * Returns the origin of the field's value, {@code scheduler.yaml:12} or {@code --flag}; empty if it is not given.
     */
    public Optional<String> origin(String path) {
        String flag = flagByPath.get(path);
        if (flag != null) {
            return Optional.of(flag);
        }
        return Optional.ofNullable(placeByPath.get(path)).map(place -> place.sourceName + ":" + place.line);
    }

    /** As {@link #origin}, or the origin of defaults. */
    public String originOrDefault(String path) {
        return origin(path).orElse(ConfigFormat.DEFAULT_ORIGIN);
    }

    /** Returns whether the value at a path is absent or null. */
    public boolean isAbsent(String path) {
        return at(path).isMissingNode() || at(path).isNull();
    }

    /** Returns whether the value at a path is absent, null or an empty text. */
    public boolean isBlank(String path) {
        return Scalars.isBlank(at(path));
    }

    /** Returns the location of each field, with its column. */
    public Map<String, String> locations() {
        Map<String, String> locations = new LinkedHashMap<>();
        placeByPath.forEach((path, place) -> locations.put(path, place.toString()));
        locations.putAll(flagByPath);
        return locations;
    }

    /**
     * Overrides a field, in objects of objects; no list is entered.
     *
     * @param origin the flag that the value comes from
     */
    public void set(String path, Object value, String origin) {
        ObjectNode at = root;
        String[] fields = path.split("\\.", -1);
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
        at.set(fields[fields.length - 1], PlainValues.node(value));
        flagByPath.put(path, origin);
    }

    /** Returns the value at a path such as {@code profiles[0].plugins}; missing if there is none. */
    public JsonNode at(String path) {
        if (path.isEmpty()) {
            return root;
        }
        JsonNode around = at(parent(path));
        return path.endsWith("]") ? around.path(index(path)) : around.path(name(path));
    }

    /**
     * Puts a value in place of what is at a path, or at the end of a list; it has the places of another path. Objects
     * around it that are not there are made.
     *
     * @return whether it could be put there: what is around it may not be an object or a list
     */
    public boolean put(String path, JsonNode value, String from) {
        String parent = parent(path);
        JsonNode around = at(parent);
        if (around.isMissingNode() || around.isNull()) {
            around = path.endsWith("]") ? nodes.arrayNode() : nodes.objectNode();
            if (!put(parent, around, from)) {
                return false;
            }
        }
        if (path.endsWith("]") && around instanceof ArrayNode array) {
            if (index(path) < array.size()) {
                array.set(index(path), value);
            } else {
                array.add(value);
            }
        } else if (!path.endsWith("]") && around instanceof ObjectNode object) {
            object.set(name(path), value);
        } else {
            return false;
        }
        // Messages about the value name its first location.
        Map<String, Place> before = new LinkedHashMap<>(placeByPath);
        copyPlaces(before, from, path);
        placeByPath.putAll(before);
        return true;
    }

    /** Removes a field. Its location stays known, for messages. */
    public void remove(String path) {
        if (at(parent(path)) instanceof ObjectNode object) {
            object.remove(name(path));
        }
    }

    /** Moves the value at a path to another path, if there is one. */
    public void move(String from, String to) {
        JsonNode value = at(from);
        if (!value.isMissingNode() && put(to, value, from)) {
            remove(from);
        }
    }

    /** An entry of a list, and the path whose places it has. */
    public record Item(JsonNode value, String from) {}

    /** Replaces the value at a path by a list. */
    public void putList(String path, List<Item> items) {
        Map<String, Place> before = new LinkedHashMap<>(placeByPath);
        placeByPath.keySet().removeIf(known -> known.startsWith(path + "["));
        ArrayNode list = nodes.arrayNode();
        for (Item item : items) {
            copyPlaces(before, item.from, path + "[" + list.size() + "]");
            list.add(item.value);
        }
        put(path, list, path);
    }

    /** Takes over where the values of another text stand, as if all of it were at a path. */
    public void copyPlaces(SourceTree other, String from, String to) {
        copyPlaces(new LinkedHashMap<>(other.placeByPath), from, to);
    }

    private void copyPlaces(Map<String, Place> places, String from, String to) {
        places.forEach((path, place) -> {
            if (!path.startsWith(from)) {
                return;
            }
            String rest = path.substring(from.length());
            if (rest.isEmpty() || rest.startsWith(".") || rest.startsWith("[")) {
                placeByPath.put(to + rest, place);
            } else if (from.isEmpty()) {
                placeByPath.put(to + "." + rest, place);
            }
        });
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    private static int index(String path) {
        return Integer.parseInt(path.substring(path.lastIndexOf('[') + 1, path.length() - 1));
    }

    private void fill(Problems problems) {
        // JSON may be indented with tabs, which YAML does not allow; inside of JSON's strings there are none.
        String readable = text.stripLeading().startsWith("{") ? text.replace('\t', ' ') : text;
        LoaderOptions options = new LoaderOptions();
        Composer composer;
        Node document;
        try {
            composer = new Composer(
                    new ParserImpl(new LinearStreamReader(new StringReader(readable)), options),
                    new PlainWords(),
                    options);
            document = composer.checkNode() ? composer.getNode() : null;
        } catch (YAMLException notYaml) {
            YamlFault fault = YamlFault.of(notYaml, readable, lines.before);
            placeByPath.put(problems.path(), lines.place(fault.line(), fault.column()));
            problems.report(fault.message());
            return;
        }
        if (document == null || isNull(document)) {
            problems.report("empty (expected: " + FORMAT + ")");
            return;
        }
        noteSecondDocument(composer);
        if (document instanceof MappingNode mapping) {
            fill(root, mapping, new ArrayDeque<>(), problems);
        } else {
            // Its contents are not shown: a file named by mistake may hold a token.
            problems.report((document instanceof SequenceNode ? "a list" : "a text") + " (expected: " + FORMAT + ")");
        }
    }

    private void noteSecondDocument(Composer composer) {
        Mark mark;
        try {
            if (!composer.checkNode()) {
                return;
            }
            Node second = composer.getNode();
            if (isNull(second)) {
                return;
            }
            mark = second.getStartMark();
        } catch (MarkedYAMLException notYaml) {
            mark = notYaml.getProblemMark();
        }
        String path = "document 2";
        if (mark != null) {
            placeByPath.put(path, place(mark));
        }
        uncounted.at(path).report("it is not read, as by kube-scheduler (expected: one configuration in a file)");
    }

    private JsonNode convert(Node node, Deque<Node> around, Problems problems) {
        if (!isAmongTheFirst(problems)) {
            return nodes.nullNode();
        }
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

    // Whether a value is one of those that are read.
    private boolean isAmongTheFirst(Problems problems) {
        if (values == MOST_VALUES) {
            problems.report("aliases repeat too much (expected: at most " + MOST_VALUES + " values)");
        }
        values = Math.min(values + 1, MOST_VALUES + 1);
        return values <= MOST_VALUES;
    }

    private void fill(ObjectNode object, MappingNode mapping, Deque<Node> around, Problems problems) {
        around.push(mapping);
        List<Node> merged = new ArrayList<>();
        for (NodeTuple entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                Problems at = problems.at("?");
                mark(at.path(), entry.getKeyNode());
                at.report("a key that is not a text (expected: names of fields)");
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

    // Written fields take precedence over merged ones, and the first merged ones over later ones.
    private void merge(ObjectNode object, Node value, Deque<Node> around, Problems problems) {
        if (!isAmongTheFirst(problems)) {
            return;
        }
        if (value instanceof SequenceNode sequence && !around.contains(sequence)) {
            around.push(sequence);
            for (Node item : sequence.getValue()) {
                merge(object, item, around, problems);
            }
            around.pop();
            return;
        }
        if (!(value instanceof MappingNode mapping) || around.contains(mapping)) {
            problems.at("<<").report("cannot be merged (expected: an alias of an object)");
            return;
        }
        ObjectNode others = nodes.objectNode();
        fill(others, mapping, around, problems);
        others.properties().forEach(entry -> object.putIfAbsent(entry.getKey(), entry.getValue()));
    }

    private static JsonNode convert(ScalarNode scalar) {
        Tag tag = scalar.getTag();
        return tag.equals(PLAIN)
                ? YamlScalars.plain(scalar.getValue())
                : YamlScalars.value(tag.getValue(), scalar.isPlain(), scalar.getValue());
    }

    private static boolean isNull(Node node) {
        return node instanceof ScalarNode scalar && convert(scalar).isNull();
    }

    private void mark(String path, Node node) {
        Mark mark = node.getStartMark();
        if (mark != null) {
            placeByPath.putIfAbsent(path, place(mark));
        }
    }

    private Place place(Mark mark) {
        return lines.place(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private String location(@Nullable Mark mark) {
        return mark == null ? sourceName : place(mark).toString();
    }

    /** Leaves the type of scalars without tag and quotes to {@link YamlScalars}. */
    private static final class PlainWords extends Resolver {
        @Override
        public Tag resolve(NodeId kind, String value, boolean isImplicit) {
            if (kind == NodeId.scalar && isImplicit) {
                return value.equals("<<") ? Tag.MERGE : PLAIN;
            }
            return super.resolve(kind, value, isImplicit);
        }
    }
}
