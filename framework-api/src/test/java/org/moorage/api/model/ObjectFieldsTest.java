// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.event.EventResource;

class ObjectFieldsTest {
    private static final ObjectFields FIELDS = ObjectFields.of("""
            {"apiVersion": "example.com/v1", "kind": "Budget",
             "metadata": {"name": "a", "labels": {"example.com/team": "red", "none": null}},
             "spec": {"max": 12, "price": -1.5e2, "huge": 123456789012345678901, "on": true, "off": false, "nothing": null,
                      "zones": ["a", "\\u00e4\\n\\"/"], "empty": [], "cpu": "500m", "memory": 1024,
                      "rules": [{"team": "red"}, {"team": "blue", "most": 2}]}}
            """);

    record Case(String name, Function<ObjectFields, Object> read, Object value) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] VALUES = {
        new Case("a text", f -> f.string("metadata", "name"), Optional.of("a")),
        new Case("no text", f -> f.string("spec", "other"), Optional.empty()),
        new Case("nothing on the way", f -> f.string("status", "a", "b"), Optional.empty()),
        new Case("null", f -> f.integer("spec", "nothing"), OptionalLong.empty()),
        new Case("a whole number", f -> f.integer("spec", "max"), OptionalLong.of(12)),
        new Case("a number", f -> f.number("spec", "price"), OptionalDouble.of(-150)),
        new Case("a whole number as a number", f -> f.number("spec", "max"), OptionalDouble.of(12)),
        new Case("a number beyond a long", f -> f.number("spec", "huge"), OptionalDouble.of(1.2345678901234568E20)),
        new Case("true", f -> f.bool("spec", "on"), Optional.of(true)),
        new Case("false", f -> f.bool("spec", "off"), Optional.of(false)),
        new Case("no truth value", f -> f.bool("spec", "other"), Optional.empty()),
        new Case("texts", f -> f.strings("spec", "zones"), List.of("a", "\u00e4\n\"/")),
        new Case("no texts", f -> f.strings("spec", "empty"), List.of()),
        new Case("no list", f -> f.strings("spec", "other"), List.of()),
        new Case(
                "a map with dots in its keys",
                f -> f.stringMap("metadata", "labels"),
                Map.of("example.com/team", "red")),
        new Case("a value of such a map", f -> f.string("metadata", "labels", "example.com/team"), Optional.of("red")),
        new Case("an amount", f -> f.quantity("spec", "cpu"), Optional.of(Quantity.parse("500m"))),
        new Case("an amount that is a number", f -> f.quantity("spec", "memory"), Optional.of(Quantity.of(1024))),
        new Case(
                "objects",
                f -> f.objects("spec", "rules").stream()
                        .map(rule -> rule.string("team").orElse(""))
                        .toList(),
                List.of("red", "blue")),
        new Case("an object's fields", f -> f.object("spec").integer("max"), OptionalLong.of(12)),
        new Case("an object that is not there", f -> f.object("status").names().size(), 0),
        new Case("names", f -> List.copyOf(f.names()), List.of("apiVersion", "kind", "metadata", "spec")),
    };

    @ParameterizedTest
    @FieldSource("VALUES")
    void readsValuesByTheirPaths(Case c) {
        assertThat(c.read.apply(FIELDS)).isEqualTo(c.value);
    }

    record Wrong(Function<ObjectFields, Object> read, String message) {}

    static final Wrong[] WRONG = {
        new Wrong(f -> f.string("spec", "max"), "spec.max: 12 (expected: a text)"),
        new Wrong(f -> f.integer("spec", "cpu"), "spec.cpu: \"500m\" (expected: a whole number)"),
        new Wrong(f -> f.integer("spec", "price"), "spec.price: -150.0 (expected: a whole number)"),
        new Wrong(f -> f.number("spec", "on"), "spec.on: true (expected: a number)"),
        new Wrong(f -> f.bool("spec", "max"), "spec.max: 12 (expected: true or false)"),
        new Wrong(f -> f.strings("spec", "max"), "spec.max: 12 (expected: a list)"),
        new Wrong(f -> f.strings("spec", "rules"), "spec.rules[0]: {team=red} (expected: a text)"),
        new Wrong(f -> f.objects("spec", "zones"), "spec.zones[0]: \"a\" (expected: an object)"),
        new Wrong(f -> f.object("spec", "max"), "spec.max: 12 (expected: an object)"),
        new Wrong(f -> f.string("spec", "max", "deeper"), "spec.max: 12 (expected: an object)"),
        new Wrong(f -> f.quantity("kind"), "kind: \"Budget\" (expected: an amount such as 500m)"),
        new Wrong(f -> f.objects("spec", "rules").get(1).string("most"), "spec.rules[1].most: 2 (expected: a text)"),
        new Wrong(f -> f.string(), "path: [] (expected: the name of a field)"),
    };

    @ParameterizedTest
    @FieldSource("WRONG")
    void namesPathAndValueOfAnotherType(Wrong c) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> c.read.apply(FIELDS))
                .withMessage(c.message);
    }

    record NoObject(String json, String message) {}

    static final NoObject[] NO_OBJECTS = {
        new NoObject("", "json, character 0: the end (expected: a value)"),
        new NoObject("[1, 2]", "json: [1, 2] (expected: an object)"),
        new NoObject("{\"a\": 1} x", "json, character 9: 'x' (expected: the end)"),
        new NoObject("{\"a\" 1}", "json, character 5: '1' (expected: ':')"),
        new NoObject("{\"a\": tru}", "json, character 6: 't' (expected: a value)"),
        new NoObject("{\"a\": \"b}", "json, character 9: the end (expected: '\"')"),
        new NoObject("{\"a\": \"\\x\"}", "json, character 8: 'x' (expected: an escape)"),
        new NoObject("{\"a\": -}", "json, character 7: '}' (expected: a value)"),
        new NoObject("{\"a\": [1,]}", "json, character 9: ']' (expected: a value)"),
        new NoObject("[".repeat(2000), "json, character 1001: '[' (expected: at most 1000 levels)"),
    };

    @ParameterizedTest
    @FieldSource("NO_OBJECTS")
    void refusesWhatIsNoJsonObject(NoObject c) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ObjectFields.of(c.json))
                .withMessage(c.message);
    }

    record Resource(ObjectKind<?> kind, EventResource resource) {}

    static final Resource[] RESOURCES = {
        new Resource(ObjectKind.POD, EventResource.POD),
        new Resource(ObjectKind.NODE, EventResource.NODE),
        new Resource(ObjectKind.CSI_NODE, EventResource.CSI_NODE),
        new Resource(ObjectKind.RESOURCE_CLAIM, EventResource.RESOURCE_CLAIM),
        new Resource(
                ObjectKind.other("example.com/v1", "Budget", "budgets", true),
                new EventResource("budgets.v1.example.com")),
    };

    @ParameterizedTest
    @FieldSource("RESOURCES")
    void hasTheEventResourceOfAKind(Resource c) {
        assertThat(EventResource.of(c.kind)).isEqualTo(c.resource);
    }
}
