// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import com.fasterxml.classmate.ResolvedType;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.victools.jsonschema.generator.CustomDefinition;
import com.github.victools.jsonschema.generator.FieldScope;
import com.github.victools.jsonschema.generator.Option;
import com.github.victools.jsonschema.generator.OptionPreset;
import com.github.victools.jsonschema.generator.SchemaGenerationContext;
import com.github.victools.jsonschema.generator.SchemaGenerator;
import com.github.victools.jsonschema.generator.SchemaGeneratorConfigBuilder;
import com.github.victools.jsonschema.generator.SchemaVersion;
import com.github.victools.jsonschema.module.jackson.JacksonModule;
import com.github.victools.jsonschema.module.jackson.JacksonOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.AnswerJson;

/** Generates the JSON schemas of answers from their types; the descriptions are those of the types' Javadoc. */
final class AnswerSchemas {
    private static final String PACKAGE = "org.moorage.app.internal.";

    /** The type of each schema. */
    static final Map<String, String> TYPES = types();

    private AnswerSchemas() {}

    private static Map<String, String> types() {
        Map<String, String> types = new LinkedHashMap<>();
        types.put("simulate", "simulate.SimulationAnswer");
        types.put("explain", "answer.PodExplanation");
        types.put("explain-group", "explain.GroupExplanationAnswer");
        types.put("explain-live", "attempts.AttemptsAnswer");
        types.put("fit", "fit.FitAnswer");
        types.put("drain", "drain.DrainAnswer");
        types.put("outage", "outage.OutageAnswer");
        types.put("scale-down", "scaledown.ScaleDownAnswer");
        types.put("scale-up", "scaleup.ScaleUpAnswer");
        types.put("compare", "compare.CompareAnswer");
        types.put("compare-weights", "compare.WeightsAnswer");
        types.put("compare-snapshots", "compare.SnapshotsAnswer");
        types.put("rebalance", "rebalance.RebalanceAnswer");
        types.put("replay", "recording.ReplayAnswer");
        types.put("shadow", "shadow.ShadowLine");
        types.put("batch", "batch.BatchLine");
        return types;
    }

    /** Returns the schema of that name, as the documentation has it. */
    static String text(String name) throws ReflectiveOperationException {
        Class<?> type = Class.forName(PACKAGE + TYPES.get(name));
        ObjectNode schema = generator().generateSchema(type);
        ObjectNode titled = AnswerJson.JSON.createObjectNode();
        titled.set("$schema", schema.get("$schema"));
        titled.put("title", "moorage " + name.replace('-', ' ').replace("scale ", "scale-") + " -o json");
        schema.remove("$schema");
        titled.setAll(schema);
        return titled.toPrettyString().replace(" : ", ": ") + "\n";
    }

    private static SchemaGenerator generator() {
        Javadocs javadocs = new Javadocs();
        SchemaGeneratorConfigBuilder builder = new SchemaGeneratorConfigBuilder(
                        SchemaVersion.DRAFT_2020_12, OptionPreset.PLAIN_JSON)
                .with(Option.DEFINITIONS_FOR_ALL_OBJECTS)
                .without(Option.FLATTENED_OPTIONALS, Option.STATIC_METHODS, Option.NONSTATIC_NONVOID_NONGETTER_METHODS)
                .with(new JacksonModule(JacksonOption.INCLUDE_ONLY_JSONPROPERTY_ANNOTATED_METHODS));
        builder.forFields()
                .withTargetTypeOverridesResolver(field -> isOptional(field) && !field.isFakeContainerItemScope()
                        ? List.of(field.getDeclaredType().getTypeParameters().get(0))
                        : null)
                .withNullableCheck(field -> false)
                .withRequiredCheck(AnswerSchemas::isRequired)
                .withDescriptionResolver(field -> field.isFakeContainerItemScope()
                        ? null
                        : javadocs.component(field.getDeclaringType().getErasedType(), field.getDeclaredName()));
        builder.forTypesInGeneral()
                .withDescriptionResolver(
                        scope -> javadocs.type(scope.getType().getErasedType()).orElse(null))
                .withPropertySorter((unusedFirst, unusedSecond) -> 0)
                .withCustomDefinitionProvider(AnswerSchemas::custom);
        return new SchemaGenerator(builder.build());
    }

    private static boolean isOptional(FieldScope field) {
        return field.getDeclaredType().getErasedType() == Optional.class;
    }

    private static boolean isRequired(FieldScope field) {
        JsonInclude include = field.getAnnotationConsideringFieldAndGetter(JsonInclude.class);
        return !isOptional(field) && !field.isFakeContainerItemScope() && include == null;
    }

    private static @Nullable CustomDefinition custom(ResolvedType type, SchemaGenerationContext context) {
        Class<?> erased = type.getErasedType();
        if (Map.class.isAssignableFrom(erased)) {
            ObjectNode definition =
                    context.getGeneratorConfig().createObjectNode().put("type", "object");
            ResolvedType value = type.typeParametersFor(Map.class).get(1);
            definition.set("additionalProperties", context.createDefinitionReference(value));
            return inline(definition);
        }
        if (ClusterObject.class.isAssignableFrom(erased)) {
            return inline(context.getGeneratorConfig().createObjectNode().put("type", "string"));
        }
        if (erased == Answer.class || JsonNode.class.isAssignableFrom(erased)) {
            return inline(context.getGeneratorConfig().createObjectNode().put("type", "object"));
        }
        if (erased.isEnum()) {
            ObjectNode definition =
                    context.getGeneratorConfig().createObjectNode().put("type", "string");
            Arrays.stream(erased.getEnumConstants())
                    .forEach(constant -> definition.withArray("enum").add(AnswerJson.name((Enum<?>) constant)));
            return inline(definition);
        }
        return null;
    }

    private static CustomDefinition inline(ObjectNode definition) {
        return new CustomDefinition(
                definition, CustomDefinition.DefinitionType.INLINE, CustomDefinition.AttributeInclusion.NO);
    }
}
