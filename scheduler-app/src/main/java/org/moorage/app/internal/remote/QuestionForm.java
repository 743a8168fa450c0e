// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.CaseFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.objects.Suggestions;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The arguments of a question as a JSON object, derived from the options and arguments of its command:
 * {@code --max-moves} is the field {@code maxMoves}, and {@code NODE...} the field {@code nodes}. A manifest is the
 * text of the manifest. Other options and arguments that name files have no field, since a client must not make this
 * process read files.
 */
final class QuestionForm {
    private static final Set<String> MANIFESTS = Set.of("MANIFEST", "CLUSTER");
    private static final Set<String> FILES = Set.of("FILE", "CONFIG");
    private static final int LONGEST_SHOWN = 40;

    private final String name;
    private final String summary;
    private final Map<String, Field> fields = new LinkedHashMap<>();

    private QuestionForm(String name, String summary) {
        this.name = name;
        this.summary = summary;
    }

    /** Returns the form of a question. */
    static QuestionForm of(String name, CommandSpec spec) {
        QuestionForm form = new QuestionForm(name, spec.usageMessage().description()[0]);
        spec.positionalParameters().forEach(form::add);
        QuestionRegistry.options(spec).forEach(form::add);
        return form;
    }

    /** Returns the name of the question. */
    String name() {
        return name;
    }

    /** Returns the sentence that describes the question. */
    String summary() {
        return summary;
    }

    private void add(ArgSpec argument) {
        boolean isHidden = argument.hidden() || argument instanceof OptionSpec option && option.usageHelp();
        if (!isHidden) {
            Field.of(argument).ifPresent(field -> fields.put(field.name, field));
        }
    }

    /** Returns the JSON schema of the arguments. */
    ObjectNode schema() {
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        fields.values().forEach(field -> properties.set(field.name, field.schema()));
        List<String> required = fields.values().stream()
                .filter(field -> field.argument.required())
                .map(Field::name)
                .toList();
        if (!required.isEmpty()) {
            required.forEach(schema.putArray("required")::add);
        }
        return schema.put("additionalProperties", false);
    }

    /**
     * The command line that arguments stand for.
     *
     * @param words the words, for {@link QuestionRegistry#parse}
     * @param manifest the text that the word {@code -} stands for
     */
    record Parsed(List<String> words, String manifest) {}

    /**
     * Returns the command line that arguments stand for.
     *
     * @throws CommandException if a field is unknown, has another type, or is missing
     */
    Parsed parse(JsonNode arguments) {
        if (!arguments.isObject()) {
            throw new CommandException(
                    "arguments: " + shown(arguments) + " (expected: an object with the arguments of " + name + ")");
        }
        for (String given : (Iterable<String>) arguments::fieldNames) {
            if (!fields.containsKey(given)) {
                throw new CommandException(given + ": unknown field (expected: of " + name + ": "
                        + String.join(", ", fields.keySet()) + ")" + Suggestions.hint(given, fields.keySet()));
            }
        }
        List<String> options = new ArrayList<>(List.of(name));
        List<String> positional = new ArrayList<>();
        String manifest = "";
        for (Field field : fields.values()) {
            JsonNode value = arguments.get(field.name);
            if (value == null) {
                if (field.argument.required()) {
                    throw new CommandException(field.name + ": missing (expected: " + field.expected() + ")");
                }
                continue;
            }
            List<String> texts = field.texts(value);
            if (field.kind == Kind.MANIFEST) {
                manifest = texts.get(0);
                texts = List.of("-");
            }
            if (field.argument instanceof OptionSpec option) {
                options.addAll(field.words(option, texts));
            } else {
                positional.addAll(texts);
            }
        }
        // Values after this are not options, even if they begin with a dash.
        options.add("--");
        options.addAll(positional);
        return new Parsed(options, manifest);
    }

    private static String shown(JsonNode value) {
        String text = value.toString();
        return text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "..." : text;
    }

    private enum Kind {
        BOOLEAN("boolean", "true or false"),
        INTEGER("integer", "an integer"),
        STRING("string", "a string"),
        MANIFEST("string", "a string with the text of a manifest, in YAML or JSON");

        private final String type;
        private final String expected;

        Kind(String type, String expected) {
            this.type = type;
            this.expected = expected;
        }

        static Kind of(Class<?> type) {
            if (type == boolean.class || type == Boolean.class) {
                return BOOLEAN;
            }
            boolean isInteger = type == int.class || type == Integer.class || type == long.class || type == Long.class;
            return isInteger ? INTEGER : STRING;
        }

        boolean accepts(JsonNode value, Class<?> javaType) {
            boolean isInt = javaType == int.class || javaType == Integer.class;
            return switch (this) {
                case BOOLEAN -> value.isBoolean();
                case INTEGER ->
                    value.isIntegralNumber() && (isInt ? value.canConvertToInt() : value.canConvertToLong());
                case STRING, MANIFEST -> value.isTextual();
            };
        }
    }

    /**
     * A field.
     *
     * @param name its name
     * @param argument the option or the argument that it stands for
     * @param kind the type of a value
     * @param isArray whether it has several values
     */
    private record Field(String name, ArgSpec argument, Kind kind, boolean isArray) {
        /** Returns the field of an argument; empty if a client must not use the argument. */
        static Optional<Field> of(ArgSpec argument) {
            String label = argument.paramLabel();
            if (MANIFESTS.contains(label)) {
                String name = argument instanceof OptionSpec option ? name(option) : "manifest";
                return Optional.of(new Field(name, argument, Kind.MANIFEST, false));
            }
            if (argument.auxiliaryTypes()[0] == Path.class || FILES.contains(label)) {
                return Optional.empty();
            }
            boolean isArray = argument.isMultiValue();
            String name = argument instanceof OptionSpec option
                    ? name(option)
                    : label.toLowerCase(Locale.ROOT) + (isArray ? "s" : "");
            return Optional.of(new Field(name, argument, Kind.of(argument.auxiliaryTypes()[0]), isArray));
        }

        // The first long name, which is the one that the documentation has.
        private static String name(OptionSpec option) {
            for (String name : option.names()) {
                if (name.startsWith("--")) {
                    return CaseFormat.LOWER_HYPHEN.to(CaseFormat.LOWER_CAMEL, name.substring(2));
                }
            }
            throw new IllegalArgumentException(option.longestName() + " (expected: a name that begins with --)");
        }

        private List<String> choices() {
            List<String> choices = new ArrayList<>();
            @Nullable Iterable<String> candidates = argument.completionCandidates();
            if (kind == Kind.STRING && candidates != null) {
                candidates.forEach(choices::add);
            }
            return choices;
        }

        ObjectNode schema() {
            ObjectNode schema = JsonNodeFactory.instance.objectNode();
            ObjectNode value = schema;
            if (isArray) {
                schema.put("type", "array");
                value = schema.putObject("items");
            }
            value.put("type", kind.type);
            List<String> choices = choices();
            if (!choices.isEmpty()) {
                choices.forEach(value.putArray("enum")::add);
            }
            return schema.put("description", description());
        }

        private String description() {
            return kind == Kind.MANIFEST
                    ? "The text of manifests with pods and workloads, in YAML or JSON."
                    : String.join(" ", argument.description());
        }

        String expected() {
            List<String> choices = choices();
            String one = choices.isEmpty() ? kind.expected : "one of " + String.join(", ", choices);
            return isArray ? "an array, each element " + one : one;
        }

        /** Returns the values as on a command line. */
        List<String> texts(JsonNode value) {
            List<String> texts = new ArrayList<>();
            if (isArray != value.isArray()) {
                throw refused(value);
            }
            for (JsonNode element : isArray ? value : List.of(value)) {
                boolean isChoice = choices().isEmpty() || choices().contains(element.asText());
                if (!isChoice || !kind.accepts(element, argument.auxiliaryTypes()[0])) {
                    throw refused(element);
                }
                texts.add(element.asText());
            }
            return texts;
        }

        private CommandException refused(JsonNode value) {
            return new CommandException(name + ": " + shown(value) + " (expected: " + expected() + ")");
        }

        List<String> words(OptionSpec option, List<String> texts) {
            List<String> words = new ArrayList<>();
            for (String text : texts) {
                if (option.arity().max() > 0) {
                    words.add(option.longestName() + "=" + text);
                } else if (text.equals("true")) {
                    words.add(option.longestName());
                }
            }
            return words;
        }
    }
}
