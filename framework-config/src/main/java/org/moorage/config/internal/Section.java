// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import org.moorage.api.plugin.Problems;
import org.moorage.objects.GoDuration;

/**
 * One object of the source, and the same object of the effective configuration: each field that is read is also
 * written there, with its origin. The fields that were not read are unknown ones.
 */
public final class Section {
    private final SourceTree tree;
    private final Map<String, String> originByPath;
    private final ObjectNode source;
    private final ObjectNode effective;
    private final Problems problems;
    private final Set<String> known = new LinkedHashSet<>();

    private Section(
            SourceTree tree,
            Map<String, String> originByPath,
            ObjectNode source,
            ObjectNode effective,
            Problems problems) {
        this.tree = tree;
        this.originByPath = originByPath;
        this.source = source;
        this.effective = effective;
        this.problems = problems;
    }

    public static Section root(SourceTree tree, Map<String, String> originByPath, Problems problems) {
        return new Section(tree, originByPath, tree.root(), JsonNodeFactory.instance.objectNode(), problems);
    }

    /** The fields of the value at a path, which are only read. */
    public static Section of(SourceTree tree, String path, Problems problems) {
        return root(tree, new LinkedHashMap<>(), problems)
                .section(tree.at(path), JsonNodeFactory.instance.objectNode(), problems.at(path));
    }

    public ObjectNode effective() {
        return effective;
    }

    public Problems at(String field) {
        return problems.at(field);
    }

    public Problems problems() {
        return problems;
    }

    /** The field's value; missing if it is absent or null. */
    public JsonNode given(String field) {
        known.add(field);
        JsonNode value = source.path(field);
        return value.isNull() ? MissingNode.getInstance() : value;
    }

    /** Whether the field is not given, or an empty text. A value of the wrong type is not blank. */
    public boolean isBlank(String field) {
        JsonNode value = given(field);
        return value.isMissingNode() || (value.isTextual() && value.textValue().isEmpty());
    }

    public int integer(String field, int otherwise) {
        JsonNode value = given(field);
        int read = value.isMissingNode() ? otherwise : sound(otherwise, () -> Scalars.integer(value, at(field)));
        write(field, Scalars.node(read), !value.isMissingNode());
        return read;
    }

    /** A number that the effective form has only if it is given. */
    public OptionalInt optionalInteger(String field) {
        return given(field).isMissingNode() ? OptionalInt.empty() : OptionalInt.of(integer(field, 0));
    }

    /** A number that the effective form has unless it is 0. */
    public int integerUnlessZero(String field) {
        JsonNode value = given(field);
        int read = value.isMissingNode() ? 0 : Scalars.integer(value, at(field));
        return read == 0 ? 0 : integer(field, 0);
    }

    public long longInteger(String field, long otherwise) {
        JsonNode value = given(field);
        long read = value.isMissingNode()
                ? otherwise
                : sound(otherwise, () -> Scalars.whole(value, Long.MIN_VALUE, Long.MAX_VALUE, at(field)));
        write(field, Scalars.node(read), !value.isMissingNode());
        return read;
    }

    /** A number that is not told apart from 0 when it is not given. */
    public int integerUnlessBlank(String field, int otherwise) {
        JsonNode value = given(field);
        int read = value.isMissingNode() ? 0 : Scalars.integer(value, at(field));
        write(field, Scalars.node(read == 0 ? otherwise : read), read != 0);
        return read == 0 ? otherwise : read;
    }

    public double numberUnlessBlank(String field, double otherwise) {
        JsonNode value = given(field);
        double read = value.isMissingNode() ? 0 : Scalars.number(value, at(field));
        write(field, Scalars.node(read == 0 ? otherwise : read), read != 0);
        return read == 0 ? otherwise : read;
    }

    public boolean bool(String field, boolean otherwise) {
        JsonNode value = given(field);
        boolean read = value.isMissingNode() ? otherwise : Scalars.bool(value, at(field));
        write(field, JsonNodeFactory.instance.booleanNode(read), !value.isMissingNode());
        return read;
    }

    /** A switch that the effective form has only if it is on. */
    public boolean flag(String field) {
        JsonNode value = given(field);
        boolean read = !value.isMissingNode() && Scalars.bool(value, at(field));
        return read && bool(field, false);
    }

    /** A text that is not told apart from the empty one when it is not given. */
    public String textUnlessBlank(String field, String otherwise) {
        JsonNode value = given(field);
        String read = value.isMissingNode() ? "" : Scalars.text(value, at(field));
        String text = read.isEmpty() ? otherwise : read;
        write(field, JsonNodeFactory.instance.textNode(text), !read.isEmpty());
        return text;
    }

    /** A text that the effective form has unless it is empty. */
    public String optionalText(String field) {
        JsonNode value = given(field);
        String read = value.isMissingNode() ? "" : Scalars.text(value, at(field));
        return read.isEmpty() ? "" : textUnlessBlank(field, "");
    }

    public Duration durationUnlessBlank(String field, Duration otherwise) {
        given(field);
        // Null is no duration for kube-scheduler either.
        Duration read = source.has(field) ? Scalars.duration(source.path(field), at(field)) : Duration.ZERO;
        Duration duration = read.isZero() ? otherwise : read;
        write(field, JsonNodeFactory.instance.textNode(GoDuration.format(duration)), !read.isZero());
        return duration;
    }

    /** The object in the field, empty if it is not given. */
    public Section child(String field) {
        JsonNode value = given(field);
        return section(value, effective.putObject(field), at(field));
    }

    /** The object in the field, if there is one. */
    public Optional<Section> optionalChild(String field) {
        return given(field).isMissingNode() ? Optional.empty() : Optional.of(child(field));
    }

    /** The objects of the list in the field; they are not written. */
    public List<Section> items(String field) {
        JsonNode value = given(field);
        List<Section> items = new ArrayList<>();
        if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                items.add(section(
                        array.path(i),
                        JsonNodeFactory.instance.objectNode(),
                        at(field).at(i)));
            }
        } else if (!value.isMissingNode()) {
            Scalars.wrong(value, "a list", at(field));
        }
        return items;
    }

    /** The objects of the list in the field; the effective form has the list unless it is empty. */
    public List<Section> children(String field) {
        List<Section> items = items(field);
        if (!items.isEmpty()) {
            ArrayNode list = effective.putArray(field);
            for (Section item : items) {
                list.add(item.effective);
                item.recordOrigin();
            }
        }
        return items;
    }

    /** An object that is not given, as the only one of a list in the effective form. */
    public Section implied(String field) {
        Section item = section(
                MissingNode.getInstance(),
                effective.putArray(field).addObject(),
                at(field).at(0));
        item.recordOrigin();
        return item;
    }

    /** Writes a list that differs from the one that is given; its items have these origins. */
    public void write(String field, ArrayNode list, List<String> origins) {
        String path = at(field).path();
        originByPath.keySet().removeIf(written -> written.startsWith(path + "["));
        for (int i = 0; i < origins.size(); i++) {
            originByPath.put(at(field).at(i).path(), origins.get(i));
        }
        if (!list.isEmpty()) {
            effective.set(field, list);
        }
    }

    /** The name of a field in messages. */
    public String name(String field) {
        return tree.names().of(at(field).path());
    }

    /** Where this object comes from. */
    public String origin() {
        return origin(problems.path());
    }

    /** Where the value at this path, from the top, comes from. */
    public String origin(String path) {
        return tree.origin(path).orElse(ConfigFormat.DEFAULT_ORIGIN);
    }

    /** Reports the fields that were not read. */
    public void finish() {
        List<String> fields = new ArrayList<>();
        source.fieldNames().forEachRemaining(fields::add);
        for (String field : fields) {
            if (!known.contains(field)) {
                tree.unknownField(source, field, known, at(field));
            }
        }
    }

    private Section section(JsonNode value, ObjectNode written, Problems at) {
        if (value instanceof ObjectNode object) {
            return new Section(tree, originByPath, object, written, at);
        }
        if (!value.isMissingNode() && !value.isNull()) {
            Scalars.wrong(value, "an object", at);
        }
        return new Section(tree, originByPath, JsonNodeFactory.instance.objectNode(), written, at);
    }

    // A value that could not be read is replaced, and its replacement must not be checked further.
    private <T> T sound(T otherwise, Supplier<T> reading) {
        int before = problems.all().size();
        T read = reading.get();
        return problems.all().size() == before ? read : otherwise;
    }

    private void recordOrigin() {
        originByPath.put(problems.path(), origin());
    }

    private void write(String field, JsonNode value, boolean isGiven) {
        effective.set(field, value);
        String path = at(field).path();
        originByPath.put(path, isGiven ? origin(path) : ConfigFormat.DEFAULT_ORIGIN);
    }
}
