// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import com.google.gson.annotations.SerializedName;
import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;

/**
 * Converts client-java's models from and to JSON. client-java's own codec is shared by the whole JVM, and rejects an
 * object for a single unknown field; this one ignores fields that the models do not have, and writes no empty lists and
 * maps, since the API server takes {@code overhead: {}} for an overhead. Quantities are exact in both directions.
 */
final class ModelJson {
    /** The most digits of a number that is written without an exponent. */
    private static final int LONGEST_NUMBER = 60;

    private static final Pattern EXPONENT = Pattern.compile("[eE][+-]?[0-9]");
    private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

    /** The largest number of values that are removed from an object. */
    private static final int MOST_UNREADABLE_VALUES = 100;

    // A limit on the text would apply to a whole list, so that one object could prevent reading all others.
    private static final JsonFactory TEXTS = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(100_000)
                    .build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .build();

    private static final JsonMapper MODELS = JsonMapper.builder(TEXTS)
            .annotationIntrospector(new GsonNames())
            .visibility(PropertyAccessor.ALL, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .withConfigOverride(Map.class, any -> any.setInclude(notEmpty()))
            .withConfigOverride(List.class, any -> any.setInclude(notEmpty()))
            // Treats null like a missing field, so that a list stays empty.
            .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .addModule(new SimpleModule()
                    .addSerializer(Quantity.class, new TextWriter<>(ModelJson::text))
                    .addDeserializer(Quantity.class, new TextReader<>(Quantity.class, ModelJson::quantity))
                    .addSerializer(IntOrString.class, new IntOrStringWriter())
                    .addDeserializer(IntOrString.class, new IntOrStringReader())
                    .addSerializer(
                            OffsetDateTime.class, new TextWriter<>(DateTimeFormatter.ISO_OFFSET_DATE_TIME::format))
                    .addDeserializer(
                            OffsetDateTime.class, new TextReader<>(OffsetDateTime.class, OffsetDateTime::parse))
                    // As a string, also in conversions that do not write JSON text.
                    .addSerializer(byte[].class, new TextWriter<>(Base64.getEncoder()::encodeToString)))
            .build();

    private static final Gson DYNAMIC = new GsonBuilder()
            .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
            .create();

    private ModelJson() {}

    private static JsonInclude.Value notEmpty() {
        return JsonInclude.Value.construct(JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS);
    }

    /** Returns the fields of a model, with its kind's {@code apiVersion} and {@code kind} if it does not have them. */
    static Map<String, Object> fields(ObjectKind<?> kind, KubernetesObject model) {
        Map<String, Object> fields = fields(model);
        fields.putIfAbsent("apiVersion", kind.apiVersion());
        fields.putIfAbsent("kind", kind.kind());
        return fields;
    }

    /** Returns the fields of a model, or of a part of one. */
    static Map<String, Object> fields(Object model) {
        return model instanceof DynamicKubernetesObject dynamic
                ? DYNAMIC.fromJson(dynamic.getRaw(), new TypeToken<Map<String, Object>>() {})
                : MODELS.convertValue(model, FIELDS);
    }

    /**
     * Reads a model from a text.
     *
     * @throws IOException if the text is not JSON, or has a value of another type than the model's
     */
    static <M> M read(String json, Class<M> model) throws IOException {
        return MODELS.readValue(json, model);
    }

    /** Reads a model from a part of a tree. */
    static <M> M read(JsonNode json, Class<M> model) throws IOException {
        return MODELS.treeToValue(json, model);
    }

    /**
     * Reads a model of an object without the values that the model cannot hold.
     *
     * @param json the object; these values are removed from it
     * @throws IOException if there are too many of these values
     */
    static <M> M readPart(JsonNode json, Class<M> model) throws IOException {
        for (int removed = 0; true; removed++) {
            try {
                return MODELS.treeToValue(json, model);
            } catch (JsonMappingException wrong) {
                if (removed == MOST_UNREADABLE_VALUES || !remove(json, wrong.getPath())) {
                    throw wrong;
                }
            }
        }
    }

    private static boolean remove(JsonNode json, List<JsonMappingException.Reference> path) {
        JsonNode parent = json;
        for (int i = 0; i < path.size(); i++) {
            JsonMappingException.Reference step = path.get(i);
            boolean isLast = i + 1 == path.size();
            if (parent instanceof ObjectNode object && step.getFieldName() != null) {
                if (isLast) {
                    return object.remove(step.getFieldName()) != null;
                }
                parent = object.path(step.getFieldName());
            } else if (parent instanceof ArrayNode array && step.getIndex() >= 0) {
                if (isLast) {
                    return array.remove(step.getIndex()) != null;
                }
                parent = array.path(step.getIndex());
            } else {
                return false;
            }
        }
        return false;
    }

    /**
     * Reads a list one object at a time, so that the whole text is never in memory.
     *
     * @param items receives each object in turn
     * @return the list with no items
     * @throws IOException if the text is not a whole list in JSON
     */
    static ObjectNode list(InputStream json, Consumer<JsonNode> items) throws IOException {
        try (JsonParser parser = MODELS.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new JsonParseException(parser, "JSON: " + parser.currentToken() + " (expected: a list)");
            }
            ObjectNode list = MODELS.createObjectNode();
            for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                JsonToken value = parser.nextToken();
                if (field.equals("items") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        items.accept(MODELS.readTree(parser));
                    }
                } else {
                    list.set(field, MODELS.<JsonNode>readTree(parser));
                }
            }
            if (parser.currentToken() != JsonToken.END_OBJECT) {
                throw new JsonParseException(
                        parser, "JSON: " + parser.currentToken() + " (expected: the end of a list)");
            }
            // A model may have a null list where the field is missing.
            list.putArray("items");
            return list;
        }
    }

    /** Returns the consecutive objects of a stream. */
    static MappingIterator<JsonNode> objects(InputStream json) throws IOException {
        return MODELS.readerFor(JsonNode.class).readValues(json);
    }

    /** Uses Gson's names of the fields. */
    private static final class GsonNames extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable PropertyName findNameForSerialization(Annotated annotated) {
            SerializedName name = annotated.getAnnotation(SerializedName.class);
            return name == null ? null : PropertyName.construct(name.value());
        }

        @Override
        public @Nullable PropertyName findNameForDeserialization(Annotated annotated) {
            return findNameForSerialization(annotated);
        }

        @Override
        public Version version() {
            return Version.unknownVersion();
        }
    }

    /** Writes a value as a JSON string. */
    private static final class TextWriter<T> extends JsonSerializer<T> {
        private final Function<T, String> text;

        TextWriter(Function<T, String> text) {
            this.text = text;
        }

        @Override
        public void serialize(T value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeString(text.apply(value));
        }
    }

    private static final class TextReader<T> extends JsonDeserializer<T> {
        private final Class<T> type;
        private final Function<String, T> parser;

        TextReader(Class<T> type, Function<String, T> parser) {
            this.type = type;
            this.parser = parser;
        }

        @Override
        public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
            try {
                return parser.apply(json.getText());
            } catch (IllegalArgumentException | DateTimeException e) {
                throw context.weirdStringException(json.getText(), type, e.getMessage());
            }
        }
    }

    // client-java's own parser is limited to 16 digits.
    private static Quantity quantity(String text) {
        BigDecimal amount =
                new BigDecimal(org.moorage.api.model.Quantity.parse(text).toString());
        return new Quantity(
                amount,
                text.endsWith("i")
                        ? Quantity.Format.BINARY_SI
                        : EXPONENT.matcher(text).find()
                                ? Quantity.Format.DECIMAL_EXPONENT
                                : Quantity.Format.DECIMAL_SI);
    }

    // Returns the API server's notation, which extenders receive, if client-java can produce it.
    private static String text(Quantity quantity) {
        BigDecimal amount = quantity.getNumber();
        try {
            String text = quantity.toSuffixedString();
            if (quantity(text).getNumber().compareTo(amount) == 0) {
                return text;
            }
        } catch (QuantityFormatException | IllegalArgumentException none) {
            // client-java cannot write every quantity that it can read.
        }
        return Math.abs((long) amount.scale()) <= LONGEST_NUMBER ? amount.toPlainString() : amount.toString();
    }

    private static final class IntOrStringWriter extends JsonSerializer<IntOrString> {
        @Override
        public void serialize(IntOrString value, JsonGenerator json, SerializerProvider provider) throws IOException {
            if (value.isInteger()) {
                json.writeNumber(value.getIntValue());
            } else {
                json.writeString(value.getStrValue());
            }
        }
    }

    private static final class IntOrStringReader extends JsonDeserializer<IntOrString> {
        @Override
        public IntOrString deserialize(JsonParser json, DeserializationContext context) throws IOException {
            return json.hasToken(JsonToken.VALUE_NUMBER_INT)
                    ? new IntOrString(json.getIntValue())
                    : new IntOrString(json.getText());
        }
    }
}
