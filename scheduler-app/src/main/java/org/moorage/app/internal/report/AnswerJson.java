// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.MapperBuilder;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.google.common.base.CaseFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ResourceName;

/**
 * Writes answers. A record is an object with a field for each component, and none for an empty {@code Optional}. An
 * object of the cluster is its namespace, a slash and its name. A constant is its name in camel case. The amount of cpu
 * is {@code milliCpu}; other amounts have the names of their resources.
 */
public final class AnswerJson {
    /** Writes JSON. */
    public static final JsonMapper JSON = configured(JsonMapper.builder()).build();

    /** Writes YAML. */
    public static final YAMLMapper YAML = configured(YAMLMapper.builder()
                    .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                    .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .disable(YAMLGenerator.Feature.SPLIT_LINES))
            .build();

    private AnswerJson() {}

    private static <M extends ObjectMapper, B extends MapperBuilder<M, B>> B configured(B builder) {
        SimpleModule names = new SimpleModule();
        names.addSerializer(new ObjectKey());
        names.addSerializer(new CamelCase());
        names.addKeySerializer(ResourceName.class, new AmountKey());
        return builder.visibility(PropertyAccessor.ALL, Visibility.NONE)
                .visibility(PropertyAccessor.FIELD, Visibility.ANY)
                .defaultPropertyInclusion(JsonInclude.Value.construct(Include.NON_ABSENT, Include.ALWAYS))
                .addModule(new Jdk8Module())
                .addModule(names);
    }

    /** Returns a value as a line of JSON. */
    public static String line(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("an answer cannot be written as JSON", e);
        }
    }

    /** The name of a constant in answers, such as {@code blockedByBudget}. */
    public static String name(Enum<?> constant) {
        return CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, constant.name());
    }

    /** The name of a resource's amount. */
    public static String name(ResourceName resource) {
        return resource.equals(ResourceName.CPU) ? "milliCpu" : resource.name();
    }

    private static final class ObjectKey extends StdSerializer<ClusterObject> {
        private static final long serialVersionUID = 1L;

        ObjectKey() {
            super(ClusterObject.class);
        }

        @Override
        public void serialize(ClusterObject object, JsonGenerator json, SerializerProvider provider)
                throws IOException {
            json.writeString(object.key());
        }
    }

    @SuppressWarnings("rawtypes") // the serializer of all enumerations
    private static final class CamelCase extends StdSerializer<Enum> {
        private static final long serialVersionUID = 1L;

        CamelCase() {
            super(Enum.class);
        }

        @Override
        public void serialize(Enum constant, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeString(name(constant));
        }
    }

    private static final class AmountKey extends JsonSerializer<ResourceName> {
        @Override
        public void serialize(ResourceName resource, JsonGenerator json, SerializerProvider provider)
                throws IOException {
            json.writeFieldName(name(resource));
        }
    }
}
